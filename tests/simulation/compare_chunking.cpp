#include <fmt/format.h>

#include "experiments.h"
#include "serving.h"

namespace cairn::simulation {
namespace {

constexpr std::int32_t kStreams = 8;
constexpr double kLongArrival = 1;
constexpr LoadRequest kLongPrompt{kLongArrival, 4000, 4};

struct Felt {
  double gap_p99_s =
      0;  // between tokens of the streams, from the long prompt's arrival to its first token
  double long_ttft_s = 0;
};

perf::SimulatorOptions options_of(double target_itl_seconds, std::int32_t max_batch_tokens) {
  perf::SimulatorOptions options = serving_options(2000, kStreams + 1, max_batch_tokens);
  options.price = {0.004, 0.0005, 1e-7};
  options.scheduler.target_itl_seconds = target_itl_seconds;
  return options;
}

/// Eight streams; and the long prompt, if it comes.
std::vector<LoadRequest> streams(bool long_prompt) {
  std::vector<LoadRequest> load(kStreams, LoadRequest{0, 100, 1500});
  if (long_prompt) load.push_back(kLongPrompt);
  return load;
}

/// Percentile of the gaps that end after the long prompt came and before it had its first token.
Felt measure(const ServingOutcome& outcome, double until) {
  Felt felt;
  std::vector<double> gaps;
  for (std::size_t stream = 0; stream < kStreams; ++stream) {
    const ServedRequest& request = outcome.requests[stream];
    double time = request.first_token;
    for (const double gap : request.gaps) {
      time += gap;
      if (time > kLongArrival && time <= until + 1e-9) gaps.push_back(gap);
    }
  }
  felt.gap_p99_s = percentile(gaps, 0.99);
  return felt;
}

Felt with_long_prompt(const perf::SimulatorOptions& options) {
  const ServingOutcome outcome = serve(streams(true), options);
  Felt felt = measure(outcome, outcome.requests.back().first_token);
  felt.long_ttft_s = outcome.requests.back().time_to_first_token();
  return felt;
}

}  // namespace

bool compare_chunking(const std::filesystem::path& /*loads*/) {
  const perf::SimulatorOptions whole = options_of(0, 4096);
  const double quiet = measure(serve(streams(false), whole), 1e9).gap_p99_s;
  const std::vector<LoadRequest> alone(1, kLongPrompt);
  const double ttft_alone = serve(alone, whole).requests.front().time_to_first_token();
  const Felt unchunked = with_long_prompt(whole);
  const Felt fixed = with_long_prompt(options_of(0, 512));
  const Felt chunked = with_long_prompt(options_of(2 * quiet, 4096));
  fmt::print("{} streams; a prompt of {} tokens comes.\n\n", kStreams, kLongPrompt.prompt_tokens);
  fmt::print("| | P99 between tokens, ms | the long prompt's TTFT, s |\n|---|---|---|\n");
  fmt::print("| streams alone | {:.1f} | |\n| long prompt alone | | {:.2f} |\n", 1e3 * quiet,
             ttft_alone);
  const auto print = [](std::string_view name, const Felt& felt) {
    fmt::print("| {} | {:.1f} | {:.2f} |\n", name, 1e3 * felt.gap_p99_s, felt.long_ttft_s);
  };
  print("together, the prompt whole", unchunked);
  print("together, 512 rows a step", fixed);
  print("together, chunks by price for twice the quiet time", chunked);
  return chunked.gap_p99_s <= 2 * quiet && chunked.long_ttft_s <= 3 * ttft_alone;
}

}  // namespace cairn::simulation
