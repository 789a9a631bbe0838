#pragma once
// Fills a Vocabulary from a tokenizer.json: the model's pieces, the added tokens, which of them are
// special.

#include <cstdint>
#include <memory>
#include <vector>

#include "text/huggingface/added_tokens.h"
#include "text/huggingface/json_document.h"
#include "text/huggingface/tokenizer_config.h"
#include "text/piece_index.h"
#include "text/vocabulary.h"

namespace cairn::text::huggingface {

enum class ModelKind : std::uint8_t { bpe, unigram, word_piece, word_level };

/// Old files do not say it: then by what the block has. Throws unsupported or corrupt.
ModelKind read_model_kind(const Field& model);

/// Appends the model's pieces; numbers without a piece are unused. Throws corrupt.
void read_model_pieces(const Field& model, ModelKind kind, Vocabulary& vocabulary);

/// Gives each added token its id: that of the model's piece, else the next free one. Tokens with
/// nothing in them are dropped. Throws corrupt.
void place_added_tokens(const Field& list, std::vector<AddedToken>& added, Vocabulary& vocabulary);

void fill_special_tokens(const TokenizerConfig& config, const Field& model,
                         const std::vector<AddedToken>& added, Vocabulary& vocabulary);

/// The model's own pieces by what they are called; without control tokens unless `with_control`.
/// `vocabulary` must outlive it unchanged.
std::unique_ptr<PieceIndex> index_model_pieces(const Field& model, ModelKind kind,
                                               const Vocabulary& vocabulary, bool with_control);

}  // namespace cairn::text::huggingface
