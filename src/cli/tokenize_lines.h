#pragma once
// Tokenizing line by line: JSON in, JSON out, for scripts with many texts.

#include <string>

#include "text/tokenizer.h"

namespace cairn::cli {

enum class OffsetUnit { none, bytes, characters };

struct LineOptions {
  std::string file;  // "-" or empty: standard input
  text::EncodeOptions encode;
  OffsetUnit offsets = OffsetUnit::none;
  bool count = false;   // the number of ids instead of the ids
  bool decode = false;  // ids in, texts out
};

/// A JSON string a line in, and for each a line out: a list of ids, or their number, or
/// {"ids": [...], "offsets": [[begin, end], ...]}. With `decode` a list of ids a line in, a JSON
/// string a line out. A line that is none of these is answered with {"error": ...}, so that lines
/// stay beside each other, and throws invalid_argument when all are done. Throws what LineFile
/// throws.
void tokenize_lines(const text::Tokenizer& tokenizer, const LineOptions& options);

/// Counts the offsets in code points instead of bytes. A token that begins or ends within a
/// character has the whole character.
void count_in_characters(std::string_view text, std::vector<text::TokenOffsets>& offsets);

/// Throws invalid_argument for an id outside of the vocabulary.
void require_ids(const text::Tokenizer& tokenizer, const std::vector<TokenId>& tokens);

}  // namespace cairn::cli
