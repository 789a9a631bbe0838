#pragma once
// Normalizers, pre-tokenizers, post-processors and decoders alike may be a Sequence of others.

#include <string_view>
#include <vector>

#include "text/huggingface/json_document.h"

namespace cairn::text::huggingface {

/// The steps of `block` in order, Sequences within Sequences opened; theirs stand in the member
/// `list`. Throws unsupported where there are very many.
std::vector<Field> read_steps(const Field& block, std::string_view list);

}  // namespace cairn::text::huggingface
