#include "text/piece_trie.h"

#include <algorithm>
#include <array>

#include "base/error.h"

namespace cairn::text {

PieceTrie::PieceTrie(std::span<const Entry> entries) {
  std::vector<Entry> sorted;
  sorted.reserve(entries.size());
  for (const Entry& entry : entries) {
    if (entry.bytes.size() > kLongestPieceBytes)
      fail(ErrorKind::corrupt, "vocabulary: a piece has {} bytes, expected at most {}",
           entry.bytes.size(), kLongestPieceBytes);
    if (!entry.bytes.empty()) sorted.push_back(entry);
    longest_bytes_ = std::max(longest_bytes_, entry.bytes.size());
  }
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Entry& a, const Entry& b) { return a.bytes < b.bytes; });
  build(sorted);
}

void PieceTrie::build(std::span<const Entry> sorted) {
  units_.resize(1);
  units_[kRoot].parent = kNoParent;
  std::vector<Branch> branches = {{0, sorted.size(), 0, kRoot}};
  while (!branches.empty()) {
    const Branch branch = branches.back();
    branches.pop_back();
    grow(branch, sorted, branches);
  }
  units_.shrink_to_fit();
}

void PieceTrie::grow(Branch branch, std::span<const Entry> sorted, std::vector<Branch>& branches) {
  while (branch.first < branch.last && sorted[branch.first].bytes.size() == branch.depth)
    units_[branch.node].value = sorted[branch.first++].value;
  if (branch.first == branch.last) return;
  const auto byte_of = [&](std::size_t i) {
    return static_cast<std::uint8_t>(sorted[i].bytes[branch.depth]);
  };
  std::array<Branch, 256> children;
  std::size_t count = 0;
  for (std::size_t i = branch.first; i < branch.last; ++i) {
    if (i == branch.first || byte_of(i) != byte_of(i - 1))
      children[count++] = {i, i, branch.depth + 1, 0};
    children[count - 1].last = i + 1;
  }
  const std::uint32_t base = find_base(std::span(children).first(count), sorted);
  units_[branch.node].base = base;
  const std::size_t highest = base + byte_of(branch.last - 1);
  if (highest >= units_.size()) units_.resize(highest + 1);
  for (Branch& child : std::span(children).first(count)) {
    child.node = base + byte_of(child.first);
    units_[child.node].parent = branch.node;
    branches.push_back(child);
  }
}

/// The first base, near the lowest free unit, for which every child's unit is free; a bounded
/// search keeps building linear.
std::uint32_t PieceTrie::find_base(std::span<const Branch> children,
                                   std::span<const Entry> sorted) {
  constexpr std::uint32_t tries = 256;
  const auto byte_of = [&](const Branch& child) {
    return static_cast<std::uint8_t>(sorted[child.first].bytes[child.depth - 1]);
  };
  while (!is_free(first_free_)) ++first_free_;
  const std::uint32_t lowest = byte_of(children.front());
  const std::uint32_t from = std::max(first_free_, lowest);
  for (std::uint32_t unit = from; unit < from + tries; ++unit) {
    const std::uint32_t base = unit - lowest;
    if (std::all_of(children.begin(), children.end(),
                    [&](const Branch& child) { return is_free(base + byte_of(child)); }))
      return base;
  }
  return std::max(static_cast<std::uint32_t>(units_.size()), lowest) - lowest;
}

std::optional<PieceTrie::Match> PieceTrie::longest_prefix(std::string_view text) const {
  std::optional<Match> longest;
  for_each_prefix(text, [&](std::size_t size_bytes, std::int32_t value) {
    longest = Match{size_bytes, value};
  });
  return longest;
}

}  // namespace cairn::text
