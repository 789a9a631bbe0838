#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "text/huggingface/bpe_options.h"
#include "text/huggingface/model.h"
#include "text/merge_borders.h"
#include "text/merge_table.h"
#include "text/utf8.h"

namespace cairn::text::huggingface {

namespace {

constexpr TokenId kNone{-1};

bool is_byte_piece(std::string_view piece) {
  return piece.size() == 6 && piece.starts_with("<0x") && piece.ends_with('>');
}

/// Byte-pair encoding of characters.
class BpeModel final : public Model {
 public:
  BpeModel(const Field& block, ModelPieces pieces, BpeOptions options)
      : index_(pieces.text_index),
        options_(std::move(options)),
        merges_(block.at("merges").size()),
        borders_(block.at("merges").size()) {
    bool merges_bytes = false;
    read_merges(block.at("merges"), pieces, options_.prefix.size(), [&](const ReadMerge& read) {
      merges_.insert(read.left_token, read.right_token, read.merge);
      merges_bytes = merges_bytes || is_byte_piece(read.left) || is_byte_piece(read.right);
      if (!read.left.empty() && !read.right.empty()) borders_.add(read.left, read.right);
    });
    for (std::size_t byte = 0; byte < 256; ++byte)
      byte_tokens_[byte] = find_byte_token(pieces.text_index, static_cast<std::uint8_t>(byte));
    bytes_stand_alone_ =
        options_.byte_fallback && !merges_bytes &&
        std::find(byte_tokens_.begin(), byte_tokens_.end(), kNone) == byte_tokens_.end();
    for (std::size_t c = 0; c < ascii_tokens_.size(); ++c) {
      const char character = static_cast<char>(c);
      ascii_tokens_[c] = index_.find(std::string_view(&character, 1)).value_or(kNone);
    }
  }

  void encode(std::string_view word, Scratch& scratch,
              std::vector<TokenRange>& output) const override {
    if (const auto whole = options_.ignore_merges ? index_.find(word) : std::nullopt) {
      output.push_back({*whole, 0, static_cast<std::uint32_t>(word.size())});
      return;
    }
    std::uint32_t base = 0;
    for_each_part(word, [&](std::size_t begin, std::size_t end) {
      base += encode_part(word, begin, end, base, scratch, output);
    });
  }

  void encode_tokens(std::string_view word, Scratch& scratch,
                     std::vector<TokenId>& tokens) const override {
    if (const auto whole = options_.ignore_merges ? index_.find(word) : std::nullopt) {
      tokens.push_back(*whole);
      return;
    }
    for_each_part(word, [&](std::size_t begin, std::size_t end) {
      const std::string_view part = word.substr(begin, end - begin);
      if (scratch.part_cache.find(part, tokens)) return;
      const std::size_t before = tokens.size();
      merge_part(word, begin, end, scratch);
      scratch.symbols.for_each(
          [&](TokenId token, std::uint32_t, std::uint32_t) { tokens.push_back(token); });
      scratch.part_cache.insert(part, std::span(tokens).subspan(before));
    });
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
    std::uint32_t end() const { return end_; }
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

  TokenId token_of(std::string_view character) const {
    if (character.size() == 1) return ascii_tokens_[static_cast<std::uint8_t>(character[0])];
    return index_.find(character).value_or(kNone);
  }

  /// Cuts a word, which may be a whole text, where no merge can join what stands on both sides.
  /// Unknown characters stay with their neighbours, with which they may be one token, unless all
  /// become bytes.
  template <class OnPart>
  void for_each_part(std::string_view word, const OnPart& on_part) const {
    std::size_t begin = 0;
    bool was_known = false;
    const bool cuts = options_.prefix.empty() && options_.suffix.empty();
    for (std::size_t at = 0; cuts && at < word.size();) {
      const std::size_t size_bytes = next_utf8(word.substr(at)).size_bytes;
      const bool is_known = token_of(word.substr(at, size_bytes)) != kNone;
      const bool both_known = was_known && is_known;
      const bool joins = both_known ? borders_.may_join(word, at) : !bytes_stand_alone_;
      if (at > 0 && !joins) {
        on_part(begin, at);
        begin = at;
      }
      was_known = is_known;
      at += size_bytes;
    }
    on_part(begin, word.size());
  }

  /// The tokens of [begin, end), whose bytes begin at `base`; returns how many bytes they have.
  std::uint32_t encode_part(std::string_view word, std::size_t begin, std::size_t end,
                            std::uint32_t base, Scratch& scratch,
                            std::vector<TokenRange>& output) const {
    const std::uint32_t size_bytes = merge_part(word, begin, end, scratch);
    const auto limit = static_cast<std::uint32_t>(end);  // bytes of affixes reach beyond
    scratch.symbols.for_each([&](TokenId token, std::uint32_t from, std::uint32_t to) {
      output.push_back({token, std::min(base + from, limit), std::min(base + to, limit)});
    });
    return size_bytes;
  }

  /// Leaves the tokens of [begin, end) in scratch.symbols; returns how many bytes they have. A
  /// character without a token has none, as in the library.
  std::uint32_t merge_part(std::string_view word, std::size_t begin, std::size_t end,
                           Scratch& scratch) const {
    scratch.symbols.clear();
    scratch.symbols.reserve(end - begin);
    SymbolWriter writer(scratch.symbols);
    for (std::size_t at = begin; at < end;) {
      const std::size_t size_bytes = next_utf8(word.substr(at)).size_bytes;
      const bool is_last = at + size_bytes == word.size();
      push_character(word.substr(at, size_bytes), at == 0, is_last, writer, scratch.piece);
      at += size_bytes;
    }
    writer.flush_unknown();
    scratch.symbols.merge([&](TokenId left, TokenId right, std::uint32_t, std::uint32_t) {
      return merges_.find(left, right);
    });
    return writer.end();
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
    const TokenId token =
        spelled.size() == 1 ? token_of(spelled) : index_.find(spelled).value_or(kNone);
    if (token != kNone) {
      writer.flush_unknown();
      writer.push(token, character.size());
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
  MergeBorders borders_;
  bool bytes_stand_alone_ = false;  // no merge takes them, and none is missing
  std::array<TokenId, 256> byte_tokens_;
  std::array<TokenId, 128> ascii_tokens_;  // by character
};

}  // namespace

std::unique_ptr<Model> make_bpe_model(const Field& block, ModelPieces pieces) {
  return std::make_unique<BpeModel>(block, pieces, read_bpe_options(block, pieces.index));
}

}  // namespace cairn::text::huggingface
