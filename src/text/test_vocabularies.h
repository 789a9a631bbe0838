#pragma once
// Small vocabularies for tests and fuzzers, built in memory.

#include <fmt/format.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "text/byte_alphabet.h"
#include "text/vocabulary.h"

namespace cairn::text {

/// Appends a token and returns its id.
inline TokenId add_token(Vocabulary& vocabulary, std::string piece, TokenKind kind,
                         float score = 0) {
  vocabulary.pieces.push_back(std::move(piece));
  vocabulary.kinds.push_back(kind);
  if (vocabulary.model == "llama") vocabulary.scores.push_back(score);
  return TokenId(static_cast<std::int32_t>(vocabulary.pieces.size() - 1));
}

/// Byte-level BPE: token b is byte b; token 256 + i is what merge i makes.
inline Vocabulary byte_level_vocabulary(std::string pre_tokenizer,
                                        const std::vector<std::string>& merges) {
  Vocabulary vocabulary;
  vocabulary.model = "gpt2";
  vocabulary.pre_tokenizer = std::move(pre_tokenizer);
  vocabulary.add_space_prefix = false;
  for (const std::string& character : byte_alphabet())
    add_token(vocabulary, character, TokenKind::normal);
  for (const std::string& merge : merges) {
    std::string piece = merge;
    piece.erase(piece.find(' '), 1);
    add_token(vocabulary, std::move(piece), TokenKind::normal);
    vocabulary.merges.push_back(merge);
  }
  return vocabulary;
}

/// SentencePiece BPE: 0 unknown, 1 BOS, 2 EOS, token 3 + b is byte b, then `pieces`, the best
/// first.
inline Vocabulary sentence_piece_vocabulary(const std::vector<std::string>& pieces) {
  Vocabulary vocabulary;
  vocabulary.model = "llama";
  vocabulary.unknown = add_token(vocabulary, "<unk>", TokenKind::unknown);
  vocabulary.bos = add_token(vocabulary, "<s>", TokenKind::control);
  vocabulary.eos = add_token(vocabulary, "</s>", TokenKind::control);
  for (int byte = 0; byte < 256; ++byte)
    add_token(vocabulary, fmt::format("<0x{:02X}>", byte), TokenKind::byte);
  float score = 0;
  for (const std::string& piece : pieces)
    add_token(vocabulary, piece, TokenKind::normal, score -= 1);
  return vocabulary;
}

inline constexpr int kFirstMerged = 256;         // of byte_level_vocabulary
inline constexpr int kFirstSentencePiece = 259;  // of sentence_piece_vocabulary

inline std::shared_ptr<const Vocabulary> share(Vocabulary vocabulary) {
  return std::make_shared<const Vocabulary>(std::move(vocabulary));
}

inline std::vector<std::int32_t> values_of(const std::vector<TokenId>& tokens) {
  std::vector<std::int32_t> values;
  values.reserve(tokens.size());
  for (const TokenId token : tokens) values.push_back(token.value);
  return values;
}

}  // namespace cairn::text
