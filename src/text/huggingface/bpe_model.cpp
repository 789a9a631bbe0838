#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "base/error.h"
#include "text/byte_alphabet.h"
#include "text/byte_pair_merger.h"
#include "text/huggingface/model.h"
#include "text/merge_table.h"
#include "text/utf8.h"

namespace cairn::text::huggingface {

namespace {

constexpr TokenId kNone{-1};
constexpr std::size_t kLongestAffixBytes = 256;

struct BpeOptions {
  TokenId unknown = kNone;
  std::string prefix;  // of all characters of a word but the first
  std::string suffix;  // of the last
  bool fuse_unknown = false;
  bool byte_fallback = false;
  bool ignore_merges = false;
};

std::string read_affix(const Field& block, std::string_view name) {
  const auto affix = block.find(name);
  if (!affix) return {};
  if (affix->text().size() > kLongestAffixBytes) affix->refuse("at most 256 bytes");
  return std::string(affix->text());
}

BpeOptions read_options(const Field& block, const PieceIndex& index) {
  BpeOptions options;
  const auto dropout = block.find("dropout");
  if (dropout && dropout->number() != 0)
    dropout->unsupported("drops merges at random; set it to null");
  if (const auto unknown = block.find("unk_token")) {
    options.unknown = index.find(unknown->text()).value_or(kNone);
    if (options.unknown == kNone) unknown->refuse("a piece of model.vocab");
  }
  options.prefix = read_affix(block, "continuing_subword_prefix");
  options.suffix = read_affix(block, "end_of_word_suffix");
  options.fuse_unknown = block.boolean("fuse_unk", false);
  options.byte_fallback = block.boolean("byte_fallback", false);
  options.ignore_merges = block.boolean("ignore_merges", false);
  return options;
}

/// The two pieces of a merge: "left right", or ["left", "right"].
std::pair<std::string_view, std::string_view> read_merge(const Field& merge) {
  if (merge.kind() == JsonKind::array) {
    if (merge.size() != 2) merge.refuse("two pieces");
    auto item = merge.items().begin();
    const std::string_view left = (*item).text();
    ++item;
    return {left, (*item).text()};
  }
  const std::string_view text = merge.text();
  const std::size_t blank = text.find(' ');
  if (blank == std::string_view::npos || text.find(' ', blank + 1) != std::string_view::npos)
    merge.refuse("two pieces with a blank between");
  return {text.substr(0, blank), text.substr(blank + 1)};
}

struct ReadMerge {
  std::string_view left;  // as the pieces are written
  std::string_view right;
  TokenId left_token;
  TokenId right_token;
  Merge merge;
};

/// `add(merge)` for each merge that text can take, the best first.
template <class Add>
void read_merges(const Field& list, ModelPieces pieces, std::size_t prefix_bytes, const Add& add) {
  std::uint32_t rank = 0;
  std::string whole;
  for (const Field merge : list.items()) {
    const auto [left, right] = read_merge(merge);
    // The oldest files begin with a comment.
    if (rank == 0 && merge.kind() == JsonKind::string && left.starts_with("#version")) continue;
    if (right.size() < prefix_bytes) merge.refuse("a right piece that begins with the prefix");
    whole.assign(left).append(right.substr(prefix_bytes));
    const auto first = pieces.index.find(left);
    const auto second = pieces.index.find(right);
    const auto joined = pieces.index.find(whole);
    if (!first || !second || !joined) merge.refuse("pieces of model.vocab that join to one");
    if (pieces.text_index.find(whole)) add({left, right, *first, *second, {rank, *joined}});
    ++rank;
  }
}

class BpeModel : public Model {
 public:
  BpeModel(const Field& block, ModelPieces pieces, BpeOptions options)
      : index_(pieces.text_index),
        options_(std::move(options)),
        merges_(block.at("merges").size()) {
    read_merges(block.at("merges"), pieces, options_.prefix.size(), [&](const ReadMerge& read) {
      merges_.insert(read.left_token, read.right_token, read.merge);
    });
    for (std::size_t byte = 0; byte < 256; ++byte)
      byte_tokens_[byte] = find_byte_token(pieces.text_index, static_cast<std::uint8_t>(byte));
  }

  void encode(std::string_view word, Scratch& scratch,
              std::vector<TokenRange>& output) const override {
    if (const auto whole = options_.ignore_merges ? index_.find(word) : std::nullopt) {
      output.push_back({*whole, 0, static_cast<std::uint32_t>(word.size())});
      return;
    }
    scratch.symbols.clear();
    SymbolWriter writer(scratch.symbols);
    for (std::size_t at = 0; at < word.size();) {
      const std::size_t size_bytes = next_utf8(word.substr(at)).size_bytes;
      const bool is_last = at + size_bytes == word.size();
      push_character(word.substr(at, size_bytes), at == 0, is_last, writer, scratch.piece);
      at += size_bytes;
    }
    writer.flush_unknown();
    merge(word, scratch, output);
  }

 private:
  /// Symbols in the order they become certain: an unknown one waits for more of its kind.
  class SymbolWriter {
   public:
    explicit SymbolWriter(SymbolList& symbols) : symbols_(symbols) {}
    void push(TokenId token, std::size_t size_bytes) {
      end_ += static_cast<std::uint32_t>(size_bytes);
      symbols_.push(token, end_);
    }
    void push_unknown(TokenId token, std::size_t size_bytes, bool fuse) {
      if (!fuse) flush_unknown();
      unknown_ = token;
      unknown_bytes_ += size_bytes;
    }
    void flush_unknown() {
      if (unknown_bytes_ > 0) push(unknown_, unknown_bytes_);
      unknown_bytes_ = 0;
    }

   private:
    SymbolList& symbols_;
    std::uint32_t end_ = 0;
    TokenId unknown_ = kNone;
    std::size_t unknown_bytes_ = 0;
  };

  void merge(std::string_view word, Scratch& scratch, std::vector<TokenRange>& output) const {
    scratch.symbols.merge([&](TokenId left, TokenId right, std::uint32_t, std::uint32_t) {
      return merges_.find(left, right);
    });
    const auto limit = static_cast<std::uint32_t>(word.size());
    scratch.symbols.for_each([&](TokenId token, std::uint32_t begin, std::uint32_t end) {
      output.push_back({token, std::min(begin, limit), std::min(end, limit)});
    });
  }

  void push_character(std::string_view character, bool is_first, bool is_last, SymbolWriter& writer,
                      std::string& piece) const {
    std::string_view spelled = character;
    const bool prefixed = !is_first && !options_.prefix.empty();
    const bool suffixed = is_last && !options_.suffix.empty();
    if (prefixed || suffixed) {
      piece.assign(prefixed ? options_.prefix : std::string());
      piece.append(character).append(suffixed ? options_.suffix : std::string());
      spelled = piece;
    }
    if (const auto token = index_.find(spelled)) {
      writer.flush_unknown();
      writer.push(*token, character.size());
    } else if (options_.byte_fallback && has_bytes(spelled)) {
      for (const char c : spelled) writer.push(byte_tokens_[static_cast<std::uint8_t>(c)], 1);
    } else if (options_.unknown != kNone) {
      writer.push_unknown(options_.unknown, character.size(), options_.fuse_unknown);
    }
  }

  bool has_bytes(std::string_view bytes) const {
    return std::all_of(bytes.begin(), bytes.end(),
                       [&](char c) { return byte_tokens_[static_cast<std::uint8_t>(c)] != kNone; });
  }

  const PieceIndex& index_;
  BpeOptions options_;
  MergeTable merges_;
  std::array<TokenId, 256> byte_tokens_;
};

/// The same on bytes, whose pieces are written in GPT-2's alphabet.
class ByteBpeModel final : public Model {
 public:
  ByteBpeModel(const Field& block, ModelPieces pieces, bool ignore_merges)
      : ignore_merges_(ignore_merges),
        bytes_(pieces.pieces.size()),
        byte_index_(ignore_merges ? pieces.pieces.size() : 0),
        merger_(read_byte_tokens(pieces.text_index), block.at("merges").size()) {
    for (std::size_t i = 0; ignore_merges && i < bytes_.size(); ++i) {
      const TokenId token(static_cast<std::int32_t>(i));
      if (pieces.text_index.find(pieces.pieces[i]) != token) continue;
      if (!is_in_byte_alphabet(pieces.pieces[i])) continue;  // no text is written so
      bytes_[i] = decode_byte_alphabet(pieces.pieces[i]);
      byte_index_.insert(bytes_[i], token);
    }
    read_merges(block.at("merges"), pieces, 0, [&](const ReadMerge& read) {
      merger_.add(read.left_token, decode_byte_alphabet(read.left), read.right_token,
                  decode_byte_alphabet(read.right), read.merge);
    });
  }

  void encode(std::string_view word, Scratch& scratch,
              std::vector<TokenRange>& output) const override {
    if (const auto whole = ignore_merges_ ? byte_index_.find(word) : std::nullopt) {
      output.push_back({*whole, 0, static_cast<std::uint32_t>(word.size())});
      return;
    }
    merger_.for_each_part(word, [&](std::size_t begin, std::size_t end) {
      const auto base = static_cast<std::uint32_t>(begin);
      merger_.merge_part(word.substr(begin, end - begin), scratch.symbols,
                         [&](TokenId token, std::uint32_t from, std::uint32_t to) {
                           output.push_back({token, base + from, base + to});
                         });
    });
  }

 private:
  static BytePairMerger::ByteTokens read_byte_tokens(const PieceIndex& index) {
    BytePairMerger::ByteTokens tokens;
    for (std::size_t byte = 0; byte < 256; ++byte)
      tokens[byte] = index.find(byte_alphabet()[byte]).value_or(kNone);
    return tokens;
  }

  bool ignore_merges_;
  std::vector<std::string> bytes_;  // by TokenId
  PieceIndex byte_index_;
  BytePairMerger merger_;
};

}  // namespace

void Model::Scratch::shrink() {
  symbols.shrink();
  unigram.shrink();
  constexpr std::size_t usual_ranges = 1 << 16;
  if (ranges.capacity() > usual_ranges) std::vector<TokenRange>().swap(ranges);
}

TokenId find_byte_token(const PieceIndex& index, std::uint8_t byte) {
  return index.find(fmt::format("<0x{:02X}>", byte)).value_or(kNone);
}

bool can_read_bytes(const Field& block, ModelPieces pieces) {
  const auto is_set = [&](std::string_view option) {
    const auto field = block.find(option);
    return field && field->kind() == JsonKind::string && !field->text().empty();
  };
  const auto& alphabet = byte_alphabet();
  return !is_set("continuing_subword_prefix") && !is_set("end_of_word_suffix") &&
         std::all_of(alphabet.begin(), alphabet.end(), [&](const std::string& character) {
           return pieces.text_index.find(character).has_value();
         });
}

std::unique_ptr<Model> make_bpe_model(const Field& block, ModelPieces pieces, bool reads_bytes) {
  BpeOptions options = read_options(block, pieces.index);
  if (reads_bytes) return std::make_unique<ByteBpeModel>(block, pieces, options.ignore_merges);
  return std::make_unique<BpeModel>(block, pieces, std::move(options));
}

}  // namespace cairn::text::huggingface
