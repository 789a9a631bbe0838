#pragma once
// Distinct types for what are all integers, so that a page is never taken for a token.

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace cairn::base {

template <class Tag, class Integer = std::int32_t>
struct Id {
  Integer value = 0;

  constexpr Id() = default;
  constexpr explicit Id(Integer v) : value(v) {}
  friend constexpr auto operator<=>(Id, Id) = default;
};

using TokenId = Id<struct TokenTag>;     // index into a vocabulary
using PageId = Id<struct PageTag>;       // index into one page group's pool
using LayerIndex = Id<struct LayerTag>;  // 0 = the layer next to the embedding
using SequenceId = Id<struct SequenceTag, std::int64_t>;
using RequestId = Id<struct RequestTag, std::int64_t>;

}  // namespace cairn::base

namespace cairn {
using base::LayerIndex;
using base::PageId;
using base::RequestId;
using base::SequenceId;
using base::TokenId;
}  // namespace cairn

template <class Tag, class Integer>
struct std::hash<cairn::base::Id<Tag, Integer>> {
  std::size_t operator()(cairn::base::Id<Tag, Integer> id) const noexcept {
    return std::hash<Integer>{}(id.value);
  }
};
