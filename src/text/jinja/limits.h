#pragma once
// What a template may cost. A hostile template or conversation ends in an error, never in a stack
// overflow, an endless loop or a memory explosion.

#include <cstddef>
#include <cstdint>

#include "text/jinja/failure.h"

namespace cairn::text::jinja {

struct Limits {
  std::uint64_t max_steps = 20'000'000;     // evaluated nodes, visited items, 32 bytes of text
  std::size_t max_output_bytes = 64 << 20;  // of the rendered prompt
  std::size_t max_depth = 1'000;            // nested evaluations: macros calling themselves
};

inline constexpr std::size_t kMaxSourceBytes = 1 << 20;   // of a template
inline constexpr std::size_t kMaxTextBytes = 64 << 20;    // of one string
inline constexpr std::size_t kMaxParseDepth = 200;        // nested tags, parentheses, signs
inline constexpr std::size_t kMaxTreeHeight = 500;        // of one expression: a + b + c + ...
inline constexpr std::size_t kMaxValueDepth = 200;        // lists in lists, dicts in dicts
inline constexpr std::int64_t kMaxRangeLength = 100'000;  // as Jinja2's sandbox has it

/// Counts down the steps of one rendering. Not thread-safe: one belongs to one rendering.
class Budget {
 public:
  explicit Budget(std::uint64_t steps) : steps_(steps) {}
  void charge(std::uint64_t steps) {
    if (steps > steps_) {
      steps_ = 0;
      refuse("the template takes too many steps");
    }
    steps_ -= steps;
  }
  void charge_bytes(std::size_t bytes) { charge(bytes / 32); }

 private:
  std::uint64_t steps_;
};

}  // namespace cairn::text::jinja
