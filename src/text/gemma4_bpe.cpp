#include "text/gemma4_bpe.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/error.h"
#include "text/huggingface/unicode.h"
#include "text/segments.h"
#include "text/space_mark.h"
#include "text/utf8.h"
#include "text/written_merge.h"

namespace cairn::text {

namespace {

constexpr TokenId kNone{-1};
constexpr std::string_view kWords = "whitespace";

bool is_text(TokenKind kind) {
  return kind == TokenKind::normal || kind == TokenKind::unused || kind == TokenKind::user_defined;
}

}  // namespace

bool is_gemma4_pre_tokenizer(std::string_view name) {
  return name == "gemma4" || name == "granite-embed-multi-311m" || name == "sarvam-moe" ||
         name == kWords;
}

Gemma4Bpe::Gemma4Bpe(std::shared_ptr<const Vocabulary> vocabulary)
    : Tokenizer(std::move(vocabulary)),
      takes_words_(this->vocabulary().pre_tokenizer == kWords),
      special_tokens_(this->vocabulary()),
      byte_tokens_(this->vocabulary()),
      literal_index_(this->vocabulary().pieces.size()),
      text_index_(this->vocabulary().pieces.size()),
      merges_(this->vocabulary().merges.size()) {
  fill_indices();
  fill_merges();
}

void Gemma4Bpe::fill_indices() {
  for (std::size_t i = 0; i < vocabulary().pieces.size(); ++i) {
    const TokenId token(static_cast<std::int32_t>(i));
    literal_index_.insert(vocabulary().pieces[i], token);
    if (is_text(kind_of(vocabulary(), token))) text_index_.insert(vocabulary().pieces[i], token);
  }
}

void Gemma4Bpe::fill_merges() {
  const std::vector<std::string>& merges = vocabulary().merges;
  for (std::size_t rank = 0; rank < merges.size(); ++rank) {
    const auto [left, right, merge] = read_merge(merges, rank, text_index_);
    merges_.insert(left, right, merge);
    borders_.add(vocabulary().pieces[static_cast<std::size_t>(merge.token.value)]);
  }
  borders_.finish();
}

void Gemma4Bpe::encode_input(const Input& input, Encoding& output, bool with_offsets) const {
  const auto lease = scratches_.borrow();
  Scratch& scratch = *lease;
  encode_segments(vocabulary(), special_tokens_, input, output, with_offsets,
                  [&](std::string_view part, std::size_t begin) {
                    encode_text(part, begin, scratch, output, with_offsets);
                  });
  scratch.symbols.shrink();
}

void Gemma4Bpe::escape(std::string_view text, bool with_sources, Scratch& scratch) const {
  std::string& escaped = scratch.escaped;
  escaped.assign(vocabulary().add_space_prefix ? kSpaceMark : std::string_view());
  scratch.sources.assign(with_sources ? escaped.size() : 0, 0);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == ' ')
      escaped += kSpaceMark;
    else
      escaped += text[i];
    if (with_sources) scratch.sources.resize(escaped.size(), static_cast<std::uint32_t>(i));
  }
  if (with_sources) scratch.sources.push_back(static_cast<std::uint32_t>(text.size()));
  if (escaped.size() > std::numeric_limits<std::uint32_t>::max())
    fail(ErrorKind::invalid_argument, "text grows to {} bytes when escaped, at most {} fit",
         escaped.size(), std::numeric_limits<std::uint32_t>::max());
}

void Gemma4Bpe::lower(std::string_view text, bool with_sources, Scratch& scratch) const {
  std::string& lowered = scratch.escaped;
  lowered.clear();
  scratch.sources.clear();
  for (std::size_t at = 0; at < text.size();) {
    const Utf8Sequence next = next_utf8(text.substr(at));
    const std::string_view sequence = text.substr(at, next.size_bytes);
    if (next.status == Utf8Status::valid && vocabulary().bert.lowercase) {
      append_utf8(lowered, huggingface::to_lower(decode_utf8(sequence)));
    } else {
      lowered += sequence;
    }
    if (with_sources) scratch.sources.resize(lowered.size(), static_cast<std::uint32_t>(at));
    at += next.size_bytes;
  }
  if (with_sources) scratch.sources.push_back(static_cast<std::uint32_t>(text.size()));
}

void Gemma4Bpe::encode_words(Scratch& scratch) const {
  const std::string_view text = scratch.escaped;
  const auto space_bytes = [&](std::size_t at) -> std::size_t {
    const Utf8Sequence next = next_utf8(text.substr(at));
    const bool is_space = next.status == Utf8Status::valid &&
                          is_white_space(decode_utf8(text.substr(at, next.size_bytes)));
    return is_space ? next.size_bytes : 0;
  };
  for (std::size_t at = 0; at < text.size();) {
    if (const std::size_t space = space_bytes(at); space > 0) {
      at += space;
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && space_bytes(end) == 0)
      end += next_utf8(text.substr(end)).size_bytes;
    encode_line(text, static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(end), scratch);
    at = end;
  }
}

void Gemma4Bpe::encode_lines(Scratch& scratch) const {
  const std::string_view text = scratch.escaped;
  for (std::size_t at = 0; at < text.size();) {
    const bool newlines = text[at] == '\n';
    const std::size_t found = newlines ? text.find_first_not_of('\n', at) : text.find('\n', at);
    const std::size_t end = std::min(found, text.size());
    encode_line(text, static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(end), scratch);
    at = end;
  }
}

void Gemma4Bpe::encode_text(std::string_view text, std::size_t begin, Scratch& scratch,
                            Encoding& output, bool with_offsets) const {
  scratch.ranges.clear();
  if (takes_words_) {
    lower(text, with_offsets, scratch);
    encode_words(scratch);
  } else {
    escape(text, with_offsets, scratch);
    encode_lines(scratch);
  }
  const std::string_view escaped = scratch.escaped;
  const auto push = [&](TokenId token, std::uint32_t from, std::uint32_t to) {
    push_token(output, with_offsets, token, with_offsets ? begin + scratch.sources[from] : 0,
               with_offsets ? begin + scratch.sources[to] : 0);
  };
  for (const TokenRange& range : scratch.ranges) {
    if (range.token != kNone) {
      push(range.token, range.begin, range.end);
    } else if (byte_tokens_.cover(escaped.substr(range.begin, range.end - range.begin))) {
      for (std::uint32_t i = range.begin; i < range.end; ++i)
        push(byte_tokens_[escaped[i]], i, i + 1);
    } else if (vocabulary().unknown) {
      push(*vocabulary().unknown, range.begin, range.end);
    }
  }
}

/// A line without its end, or a run of newlines.
void Gemma4Bpe::encode_line(std::string_view text, std::uint32_t begin, std::uint32_t end,
                            Scratch& scratch) const {
  if (text[begin] == '\n') {
    if (const auto whole = text_index_.find(text.substr(begin, end - begin))) {
      scratch.ranges.push_back({*whole, begin, end});
      return;
    }
  }
  while (begin < end) {
    const std::string_view rest = text.substr(begin, end - begin);
    const auto valid_end = static_cast<std::uint32_t>(begin + valid_utf8_prefix(rest));
    while (begin < valid_end) {
      const std::size_t word_bytes = borders_.word_bytes(text.substr(begin, valid_end - begin));
      merge_word(text, begin, static_cast<std::uint32_t>(begin + word_bytes), scratch);
      begin += static_cast<std::uint32_t>(word_bytes);
    }
    if (begin == end) break;
    const std::size_t invalid_bytes = next_utf8(text.substr(begin, end - begin)).size_bytes;
    scratch.ranges.push_back({kNone, begin, static_cast<std::uint32_t>(begin + invalid_bytes)});
    begin += static_cast<std::uint32_t>(invalid_bytes);
  }
}

void Gemma4Bpe::merge_word(std::string_view text, std::uint32_t begin, std::uint32_t end,
                           Scratch& scratch) const {
  const std::string_view word = text.substr(begin, end - begin);
  SymbolList& symbols = scratch.symbols;
  symbols.clear();
  for (std::size_t at = 0; at < word.size();) {
    const std::size_t size_bytes = next_utf8(word.substr(at)).size_bytes;
    const auto token = text_index_.find(word.substr(at, size_bytes));
    at += size_bytes;
    symbols.push(token.value_or(kNone), static_cast<std::uint32_t>(at));
  }
  symbols.merge([&](TokenId left, TokenId right, std::uint32_t, std::uint32_t) {
    return left == kNone || right == kNone ? std::optional<Merge>() : merges_.find(left, right);
  });
  symbols.for_each([&](TokenId token, std::uint32_t from, std::uint32_t to) {
    scratch.ranges.push_back({token, begin + from, begin + to});
  });
}

std::string Gemma4Bpe::piece_bytes(TokenId token, bool show_control) const {
  check_token(vocabulary(), token);
  const TokenKind kind = kind_of(vocabulary(), token);
  const std::string_view piece = vocabulary().pieces[static_cast<std::size_t>(token.value)];
  if (kind == TokenKind::control && !show_control) return {};
  if (kind == TokenKind::byte)
    if (const int byte = byte_of_piece(piece); byte >= 0)
      return std::string(1, static_cast<char>(byte));
  const bool escaped = kind == TokenKind::normal || kind == TokenKind::unused;
  if (!escaped || takes_words_) return std::string(piece);
  return unescape_spaces(piece);
}

std::optional<TokenId> Gemma4Bpe::find_piece(std::string_view piece) const {
  return literal_index_.find(piece);
}

}  // namespace cairn::text
