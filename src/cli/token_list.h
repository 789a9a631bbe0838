#pragma once
// Lists of token ids as people and scripts write them.

#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"

namespace cairn::cli {

/// Ids between commas or blanks: "1, 2 3". Throws invalid_argument that names `source`, the word
/// and its place.
std::vector<TokenId> parse_token_ids(std::string_view text, std::string_view source);

/// "1,2,3" with `separator` between.
std::string format_token_ids(const std::vector<TokenId>& tokens, std::string_view separator);

}  // namespace cairn::cli
