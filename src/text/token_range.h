#pragma once
// A token and the bytes it stands for: what the algorithms give that know nothing of files, special
// tokens or normalization.

#include <cstdint>

#include "base/ids.h"

namespace cairn::text {

struct TokenRange {
  TokenId token;
  std::uint32_t begin = 0;  // bytes of the text given: [begin, end)
  std::uint32_t end = 0;
  friend bool operator==(const TokenRange&, const TokenRange&) = default;
};

}  // namespace cairn::text
