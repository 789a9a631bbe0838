#include "text/written_merge.h"

#include <cstdint>
#include <string_view>

#include "base/error.h"

namespace cairn::text {

WrittenMerge read_merge(const std::vector<std::string>& merges, std::size_t rank,
                        const PieceIndex& pieces) {
  const std::string_view merge = merges[rank];
  const std::size_t blank = merge.find(' ', 1);
  if (blank == std::string_view::npos || blank + 1 == merge.size())
    fail(ErrorKind::corrupt, "merge {} '{}': expected two pieces with a blank between", rank,
         merge);
  const auto known = [&](std::string_view piece) {
    const auto token = pieces.find(piece);
    if (!token)
      fail(ErrorKind::corrupt, "merge {} '{}': '{}' is not in the vocabulary", rank, merge, piece);
    return *token;
  };
  std::string whole(merge);
  whole.erase(blank, 1);
  const TokenId left = known(merge.substr(0, blank));
  const TokenId right = known(merge.substr(blank + 1));
  return {left, right, {static_cast<std::uint32_t>(rank), known(whole)}};
}

}  // namespace cairn::text
