#pragma once
// Which tokens end an answer. Files name one, but models end their turns with others as well.

#include "text/vocabulary.h"

namespace cairn::text {

/// Appends to `end_of_generation` what is not there yet: EOS, EOT, and control tokens that read
/// like an end ("<|im_end|>").
void find_end_of_generation(Vocabulary& vocabulary);

}  // namespace cairn::text
