#pragma once
// How the committed loads were drawn: simulate_serving draw KIND SEED prints the file again.

#include <cstdint>
#include <string_view>

namespace cairn::simulation {

/// Prints a load file. Throws invalid_argument naming the kinds.
void print_drawn_load(std::string_view kind, std::uint64_t seed);

}  // namespace cairn::simulation
