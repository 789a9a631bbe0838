#pragma once
// Unicode's normalization forms with their alignment, by the tables of Unicode 9 as the
// `tokenizers` library has them.

#include <cstdint>

#include "text/huggingface/aligned_text.h"

namespace cairn::text::huggingface {

enum class NormalForm : std::uint8_t { nfc, nfd, nfkc, nfkd };

/// Writes the rewriter's text in `form`. Linear up to a sort of each run of combining marks.
void write_normal_form(NormalForm form, Rewriter& rewriter);

}  // namespace cairn::text::huggingface
