#include <fmt/format.h>

#include <array>

#include "clairvoyant.h"
#include "experiments.h"
#include "serving.h"

namespace cairn::simulation {
namespace {

struct PrefixLoad {
  std::string_view title;
  std::string_view file;
  std::int32_t page_count;
};

constexpr std::array kLoads = {
    PrefixLoad{"system prompts", "shared_prefix.txt", 4000},
    PrefixLoad{"conversations", "multi_turn.txt", 4500},
    PrefixLoad{"few-shot tasks", "few_shot.txt", 2000},
};

struct HitRates {
  double cairn = 0;
  double clairvoyant = 0;
  std::int64_t all_pages = 0;  // that hold different tokens
};

HitRates measure(const std::vector<LoadRequest>& load, std::int32_t page_count,
                 const std::string& order) {
  perf::SimulatorOptions options = serving_options(page_count, 32, 512);
  options.price = {0.01, 0.0003, 0};
  options.scheduler.order = order;
  std::vector<TracedRequest> traced(load.size());
  const ServingOutcome outcome =
      serve(load, options, [&](const schedule::StepPlan& plan, double now) {
        for (const schedule::SequenceStep& step : plan.sequences) {
          const std::int64_t id = step.sequence->request->id.value;
          TracedRequest& request = traced[static_cast<std::size_t>(id - 1)];
          if (request.started == 0) request.started = now;
        }
      });
  const std::vector<std::vector<TokenId>> prompts = prompts_of(load);
  std::int64_t prompt_tokens = 0;
  std::int64_t cached_tokens = 0;
  for (std::size_t i = 0; i < load.size(); ++i) {
    traced[i].tokens = prompts[i];
    traced[i].prompt_tokens = static_cast<std::int32_t>(prompts[i].size());
    append_generated(traced[i].tokens, load[i].output_tokens);
    traced[i].computed = outcome.requests[i].first_token;
    traced[i].ended = outcome.requests[i].end;
    prompt_tokens += traced[i].prompt_tokens;
    cached_tokens += outcome.requests[i].cached_tokens;
  }
  const ClairvoyantHits hits = clairvoyant_hits(traced, page_count, options.page_tokens);
  const auto share = [&](std::int64_t tokens) {
    return static_cast<double>(tokens) / static_cast<double>(prompt_tokens);
  };
  return {share(cached_tokens), share(hits.tokens), hits.page_count};
}

/// Time to the first token of a long prompt, and of one that shares most of it.
bool compare_first_tokens() {
  constexpr std::int32_t kPrompt = 2048;
  constexpr std::int32_t kShared = 1920;
  perf::SimulatorOptions options = serving_options(1000, 4, 512);
  options.price = {0.004, 0.0005, 0};
  const LoadRequest cold{0, kPrompt, 1, Sharing::prefix, 0, kShared};
  LoadRequest warm = cold;
  warm.arrival_seconds = 10;
  const ServingOutcome outcome = serve({cold, warm}, options);
  const double share =
      outcome.requests[1].time_to_first_token() / outcome.requests[0].time_to_first_token();
  const double own = static_cast<double>(kPrompt - kShared) / kPrompt;
  fmt::print(
      "\nA prompt of {} tokens of which {} are found has its first token after {:.1f} % of "
      "the time; {:.1f} % of its tokens are its own.\n",
      kPrompt, kShared, 100 * share, 100 * own);
  return share < own + 0.01;
}

}  // namespace

bool compare_hit_rates(const std::filesystem::path& loads) {
  fmt::print(
      "| load | requests | different pages | pool | order | found | clairvoyant | share of it |\n"
      "|---|---|---|---|---|---|---|---|\n");
  bool shown = true;
  for (const PrefixLoad& each : kLoads) {
    const std::vector<LoadRequest> load = read_load(loads / each.file);
    for (const std::string order : {"fcfs", "prefix"}) {
      const HitRates rates = measure(load, each.page_count, order);
      fmt::print("| {} | {} | {} | {} | {} | {:.1f} % | {:.1f} % | {:.1f} % |\n", each.title,
                 load.size(), rates.all_pages, each.page_count, order, 100 * rates.cairn,
                 100 * rates.clairvoyant, 100 * rates.cairn / rates.clairvoyant);
      shown &= rates.cairn >= 0.96 * rates.clairvoyant;
    }
  }
  return compare_first_tokens() && shown;
}

}  // namespace cairn::simulation
