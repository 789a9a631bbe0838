#pragma once
// A counter-based generator: a draw is a pure function of its key, so it cannot depend on the
// company a request keeps (invariant N3). Philox4x32-10: Salmon, Moraes, Dror, Shaw, "Parallel
// random numbers: as easy as 1, 2, 3", SC 2011.

#include <array>
#include <cstdint>

namespace cairn::base {

/// Ten rounds of Philox over four 32-bit counters and two 32-bit keys.
std::array<std::uint32_t, 4> philox4x32(std::array<std::uint32_t, 4> counter,
                                        std::array<std::uint32_t, 2> key);

/// What a draw is for, so that two draws at one position never share their noise.
enum class DrawPurpose : std::uint32_t { sample = 0, xtc = 1, test = 99 };

/// Uniform in [0, 1), 53 bits: a pure function of its arguments.
double uniform_draw(std::uint64_t seed, std::uint32_t choice_index, std::uint32_t position,
                    DrawPurpose purpose);

}  // namespace cairn::base
