#pragma once
// What goes into a tokenizer's algorithm and what comes out of it.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <string_view>
#include <vector>

#include "base/ids.h"

namespace cairn::text {

/// The bytes of the given text that a token stands for: [begin, end). Where several tokens share
/// what normalization made of one stretch, each has the whole stretch. [0, 0) for a token that was
/// added (BOS, EOS).
struct TokenOffsets {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  friend bool operator==(const TokenOffsets&, const TokenOffsets&) = default;
};

struct Encoding {
  std::vector<TokenId> tokens;
  std::vector<TokenOffsets> offsets;  // by token; empty where they were not asked for
};

/// [begin, end) in bytes.
struct TextRange {
  std::size_t begin = 0;
  std::size_t end = 0;
  friend bool operator==(const TextRange&, const TextRange&) = default;
};

/// What Tokenizer::encode_input() gets.
struct TokenizerInput {
  std::string_view text;
  /// Control tokens match only wholly inside one of these; ascending, disjoint, not touching.
  std::span<const TextRange> special_ranges;
  bool add_special = true;
};

/// Whether one of `ranges` (ascending, disjoint) holds all of [begin, end).
inline bool holds_range(std::span<const TextRange> ranges, std::size_t begin, std::size_t end) {
  const auto after = std::partition_point(ranges.begin(), ranges.end(),
                                          [&](const TextRange& r) { return r.begin <= begin; });
  return after != ranges.begin() && std::prev(after)->end >= end;
}

}  // namespace cairn::text
