#pragma once
// All pieces that begin a text, one array access a byte. A double array (Aoe 1989): node s has its
// child over byte b in unit base(s) + b, if that unit names s as its parent. Immutable,
// thread-safe.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace cairn::text {

class PieceTrie {
 public:
  static constexpr std::size_t kLongestPieceBytes = 1024;

  struct Entry {
    std::string_view bytes;
    std::int32_t value = 0;  // not negative
  };
  struct Match {
    std::size_t size_bytes = 0;
    std::int32_t value = 0;
  };

  PieceTrie() : PieceTrie(std::span<const Entry>()) {}
  /// Of equal pieces the last counts; empty ones are left out. Throws corrupt where a piece is
  /// longer than kLongestPieceBytes. Linear in the pieces' bytes once they are sorted.
  explicit PieceTrie(std::span<const Entry> entries);

  /// `on_match(size_bytes, value)` for each piece that begins `text`, the shortest first.
  template <class OnMatch>
  void for_each_prefix(std::string_view text, const OnMatch& on_match) const;
  /// The longest of them.
  std::optional<Match> longest_prefix(std::string_view text) const;

  std::size_t longest_bytes() const { return longest_bytes_; }

 private:
  struct Unit {
    std::uint32_t base = 0;
    std::uint32_t parent = kFree;
    std::int32_t value = -1;  // -1: no piece ends here
  };
  struct Branch {
    std::size_t first = 0;  // the sorted entries below the node: [first, last)
    std::size_t last = 0;
    std::size_t depth = 0;
    std::uint32_t node = 0;
  };
  static constexpr std::uint32_t kFree = 0xFFFFFFFF;
  static constexpr std::uint32_t kNoParent = 0xFFFFFFFE;
  static constexpr std::uint32_t kRoot = 0;

  void build(std::span<const Entry> sorted);
  void grow(Branch branch, std::span<const Entry> sorted, std::vector<Branch>& branches);
  std::uint32_t find_base(std::span<const Branch> children, std::span<const Entry> sorted);
  bool is_free(std::uint32_t unit) const {
    return unit >= units_.size() || units_[unit].parent == kFree;
  }

  std::vector<Unit> units_;
  std::uint32_t first_free_ = 0;  // while building: no unit below is free
  std::size_t longest_bytes_ = 0;
};

template <class OnMatch>
void PieceTrie::for_each_prefix(std::string_view text, const OnMatch& on_match) const {
  std::uint32_t node = kRoot;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::uint32_t next = units_[node].base + static_cast<std::uint8_t>(text[i]);
    if (next >= units_.size() || units_[next].parent != node) return;
    node = next;
    if (units_[node].value >= 0) on_match(i + 1, units_[node].value);
  }
}

}  // namespace cairn::text
