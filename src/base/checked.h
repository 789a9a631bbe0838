#pragma once
// Arithmetic on sizes that come from files: a result that does not fit is no result.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace cairn::base {

template <std::integral T>
constexpr std::optional<T> checked_add(T a, T b) {
  T sum{};
  if (__builtin_add_overflow(a, b, &sum)) return std::nullopt;
  return sum;
}

template <std::integral T>
constexpr std::optional<T> checked_multiply(T a, T b) {
  T product{};
  if (__builtin_mul_overflow(a, b, &product)) return std::nullopt;
  return product;
}

/// Rounds up to a multiple of `alignment` (a power of two).
constexpr std::optional<std::uint64_t> checked_align(std::uint64_t value, std::uint64_t alignment) {
  const auto raised = checked_add<std::uint64_t>(value, alignment - 1);
  if (!raised) return std::nullopt;
  return *raised & ~(alignment - 1);
}

}  // namespace cairn::base
