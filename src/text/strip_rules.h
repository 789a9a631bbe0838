#pragma once
// Which special tokens swallow the white space beside them. GGUF files do not say; models are known
// by their names.

#include <string>
#include <string_view>

#include "text/vocabulary.h"

namespace cairn::text {

/// Fills strip_left and strip_right. `model_name` is the file's general.name, `architecture` its
/// general.architecture.
void find_strip_rules(Vocabulary& vocabulary, std::string_view model_name,
                      std::string_view architecture);

}  // namespace cairn::text
