#pragma once
// A checkpoint's tokenizer keys as text::Vocabulary: the only place that knows how GGUF spells
// them.

#include <memory>
#include <string>

#include "checkpoint/checkpoint.h"
#include "text/vocabulary.h"

namespace cairn::engine {

/// Whether the checkpoint carries a vocabulary that load_vocabulary() reads.
bool has_vocabulary(const checkpoint::Checkpoint& checkpoint);

/// `pre_tokenizer` replaces the one that the file names; empty: the file's. Throws not_found where
/// there is no vocabulary, corrupt where its lists or ids contradict each other.
std::shared_ptr<const text::Vocabulary> load_vocabulary(const checkpoint::Checkpoint& checkpoint,
                                                        const std::string& pre_tokenizer = {});

}  // namespace cairn::engine
