#include <algorithm>
#include <optional>
#include <span>
#include <string>

#include "text/byte_alphabet.h"
#include "text/byte_pair_merger.h"
#include "text/huggingface/bpe_options.h"
#include "text/huggingface/model.h"

namespace cairn::text::huggingface {

namespace {

/// Byte-pair encoding of bytes, whose pieces are written in GPT-2's alphabet.
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

  void encode_tokens(std::string_view word, Scratch& scratch,
                     std::vector<TokenId>& tokens) const override {
    if (const auto whole = ignore_merges_ ? byte_index_.find(word) : std::nullopt) {
      tokens.push_back(*whole);
      return;
    }
    merger_.for_each_part(word, [&](std::size_t begin, std::size_t end) {
      const std::string_view part = word.substr(begin, end - begin);
      if (scratch.part_cache.find(part, tokens)) return;
      const std::size_t before = tokens.size();
      merger_.merge_part(part, scratch.symbols, [&](TokenId token, std::uint32_t, std::uint32_t) {
        tokens.push_back(token);
      });
      scratch.part_cache.insert(part, std::span(tokens).subspan(before));
    });
  }

 private:
  static BytePairMerger::ByteTokens read_byte_tokens(const PieceIndex& index) {
    BytePairMerger::ByteTokens tokens;
    for (std::size_t byte = 0; byte < 256; ++byte)
      tokens[byte] = index.find(byte_alphabet()[byte]).value_or(TokenId(-1));
    return tokens;
  }

  bool ignore_merges_;
  std::vector<std::string> bytes_;  // by TokenId
  PieceIndex byte_index_;
  BytePairMerger merger_;
};

}  // namespace

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

std::unique_ptr<Model> make_byte_bpe_model(const Field& block, ModelPieces pieces) {
  const BpeOptions options = read_bpe_options(block, pieces.index);
  return std::make_unique<ByteBpeModel>(block, pieces, options.ignore_merges);
}

}  // namespace cairn::text::huggingface
