#pragma once
// A checkpoint's tokenizer keys as text::Vocabulary: the only place that knows how files spell
// them.

#include <memory>

#include "checkpoint/checkpoint.h"
#include "text/vocabulary.h"

namespace cairn::engine {

/// Whether the checkpoint carries a vocabulary that load_vocabulary() reads.
bool has_vocabulary(const checkpoint::Checkpoint& checkpoint);

/// Throws not_found where there is none, unsupported where it stands in a form not read here
/// (tokenizer.json), corrupt where its lists or ids contradict each other.
std::shared_ptr<const text::Vocabulary> load_vocabulary(const checkpoint::Checkpoint& checkpoint);

}  // namespace cairn::engine
