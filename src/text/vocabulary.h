#pragma once
// Everything a tokenizer needs, as plain data; who reads files fills it (engine/vocabulary_loader).

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"

namespace cairn::text {

enum class TokenKind : std::uint8_t {
  normal = 1,  // values are GGUF's tokenizer.ggml.token_type
  unknown = 2,
  control = 3,       // never matched in ordinary text, prints as nothing
  user_defined = 4,  // matched before the algorithm runs, prints as itself
  unused = 5,
  byte = 6,  // "<0x41>"
};

/// A chat template beside the default one: "tool_use", "rag", ...
struct NamedTemplate {
  std::string name;
  std::string source;  // Jinja
};

/// What SentencePiece does to text before it looks for pieces, beside Vocabulary::add_space_prefix.
struct SentencePieceRules {
  std::string precompiled_map;       // compiled normalization (precompiled_map.h), or empty
  bool remove_extra_spaces = false;  // at either end, and all but one of several
  bool escape_spaces = true;         // written U+2581
  bool space_suffix = false;         // words end with their space instead of beginning with it
  bool byte_fallback = false;        // a character without a piece becomes its bytes
  std::string unknown_text;          // what the unknown token prints as; empty: its piece
};

/// What BERT does to text before it looks for words.
struct BertRules {
  bool lowercase = true;
  bool strip_accents = true;
};

struct Vocabulary {
  std::string model;                // "gpt2" (byte-level BPE), "llama" (SentencePiece BPE), ...
  std::string pre_tokenizer;        // tokenizer.ggml.pre: "smollm", "qwen2", ...; empty if absent
  std::vector<std::string> pieces;  // by TokenId
  std::vector<float> scores;        // by TokenId, or empty
  std::vector<TokenKind> kinds;     // by TokenId, or empty: all normal
  std::vector<std::string> merges;  // "left right", best first
  std::optional<TokenId> bos;
  std::optional<TokenId> eos;
  std::optional<TokenId> eot;  // end of a turn
  std::optional<TokenId> unknown;
  std::optional<TokenId> padding;
  bool add_bos = false;
  bool add_eos = false;
  bool add_space_prefix = true;               // SentencePiece: a space before the text
  SentencePieceRules sentence_piece;          // of the models that follow it (make_tokenizer)
  BertRules bert;                             // of the model "bert"
  std::vector<TokenId> strip_left;            // special tokens that swallow the white space before
  std::vector<TokenId> strip_right;           // or after them
  std::vector<TokenId> end_of_generation;     // any of these ends an answer
  std::string chat_template;                  // the default one's Jinja source, or empty
  std::vector<NamedTemplate> chat_templates;  // the others
};

}  // namespace cairn::text
