#include <fmt/format.h>

#include <bit>

#include "experiments.h"
#include "serving.h"

namespace cairn::simulation {
namespace {

constexpr std::int32_t kLongest = 4096;  // what a contiguous piece is reserved for

/// Sums over steps, in positions.
struct Allocation {
  double used = 0;
  double paged = 0;
  double contiguous = 0;
  double power_of_two = 0;
};

}  // namespace

bool compare_waste(const std::filesystem::path& loads) {
  const std::vector<LoadRequest> load = read_load(loads / "chat.txt");
  perf::SimulatorOptions options = serving_options(20'000, 64, 512);
  options.share_prefixes = false;
  Allocation sums;
  serve(load, options, [&](const schedule::StepPlan& plan, double) {
    for (std::size_t index = 0; index < plan.sequences.size(); ++index) {
      const schedule::SequenceStep& step = plan.sequences[index];
      sums.used += step.end_position();
      sums.paged += static_cast<double>(plan.pages(index, 0).size()) * options.page_tokens;
      sums.contiguous += kLongest;
      sums.power_of_two += std::bit_ceil(static_cast<std::uint32_t>(step.end_position()));
    }
  });
  fmt::print("{} requests, at most 64 at a time; means over all steps.\n\n", load.size());
  fmt::print("| allocation | allocated and not used |\n|---|---|\n");
  const auto print = [&](std::string_view name, double allocated) {
    fmt::print("| {} | {:.1f} % |\n", name, 100 * (allocated - sums.used) / allocated);
  };
  print("pages of 16", sums.paged);
  print("one piece of a power of two, doubled as it grows", sums.power_of_two);
  print(fmt::format("one piece of {}", kLongest), sums.contiguous);
  return (sums.paged - sums.used) / sums.paged < 0.04;
}

}  // namespace cairn::simulation
