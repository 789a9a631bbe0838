// What running streams feel of a long prompt, and what a prefix in the cache saves, on a real
// model and by the clock:
//
//   measure_serving MODEL.gguf [THREADS]
//
// docs/serving_experiments.md shows what it printed. No test: it depends on the machine.

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <optional>
#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "engine/session.h"
#include "perf/model_step_price.h"

namespace cairn {
namespace {

constexpr std::int32_t kStreams = 8;
constexpr std::int32_t kStreamPrompt = 100;
constexpr std::size_t kQuietTokens = 150;  // of each stream before the long prompt comes
constexpr std::size_t kFirstTokens = 10;   // of these, what is not counted
constexpr std::int32_t kLongPrompt = 4000;
constexpr std::int32_t kSharedPrompt = 2048;
constexpr std::int32_t kShared = 1920;

/// When the tokens of a request came.
class Times final : public schedule::RequestObserver {
 public:
  explicit Times(const base::Clock& clock) : clock_(clock) {}
  schedule::Next on_token(const schedule::TokenEvent&) override {
    tokens_.push_back(clock_.now());
    return schedule::Next::go_on;
  }
  void on_finished(const schedule::FinishedEvent&) override {}
  const std::vector<base::TimePoint>& tokens() const { return tokens_; }

 private:
  const base::Clock& clock_;
  std::vector<base::TimePoint> tokens_;
};

double percentile(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  const auto index = static_cast<std::size_t>(share * static_cast<double>(values.size() - 1));
  std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(index));
  return values[index];
}

struct Machine {
  engine::LoadedModel& loaded;
  perf::Rates rates;
  const base::Clock& clock() const { return loaded.context().clock; }
};

/// Tokens of no meaning, others for each request and from `shared` on.
std::vector<TokenId> prompt(std::int32_t count, std::uint32_t request, std::int32_t shared = 0) {
  std::vector<TokenId> tokens;
  for (std::int32_t i = 0; i < count; ++i) {
    const std::uint32_t key = i < shared ? 0 : request;
    const double draw =
        base::uniform_draw(11, key, static_cast<std::uint32_t>(i), base::DrawPurpose::test);
    tokens.emplace_back(1000 + static_cast<std::int32_t>(draw * 40'000));
  }
  return tokens;
}

Request greedy(const engine::Session& session, std::vector<TokenId> tokens, std::int32_t max_tokens,
               Times& times) {
  Request request = session.new_request(std::move(tokens));
  request.sampling.temperature = 0;
  request.sampling.ignore_eos = true;
  request.max_tokens = max_tokens;
  request.observer = &times;
  return request;
}

EngineOptions options_of(double target_itl_seconds, std::int32_t max_batch_tokens) {
  EngineOptions options;
  options.context_tokens = 4096;
  options.kv_tokens = std::int64_t{4096} + kStreams * 1024;
  options.max_sequences = kStreams + 1;
  options.max_batch_tokens = max_batch_tokens;
  options.target_itl_seconds = target_itl_seconds;
  return options;
}

/// Seconds from now to the first token of a prompt that has the session for itself.
double first_token_seconds(const Machine& machine, engine::Session& session,
                           std::vector<TokenId> tokens) {
  Times times(machine.clock());
  const base::TimePoint begin = machine.clock().now();
  session.submit(greedy(session, std::move(tokens), 1, times));
  session.run_until_idle();
  return seconds_between(begin, times.tokens().front());
}

/// What streams and a long prompt feel of each other.
struct Felt {
  std::vector<double> quiet_gaps;  // of the streams, before the long prompt comes
  std::vector<double> gaps;        // from then on to its first token
  double long_ttft_seconds = 0;
};

void add_gaps(const Times& times, base::TimePoint from, base::TimePoint to,
              std::vector<double>& gaps) {
  for (std::size_t i = kFirstTokens; i < times.tokens().size(); ++i) {
    const base::TimePoint token = times.tokens()[i];
    if (token > from && token <= to) gaps.push_back(seconds_between(times.tokens()[i - 1], token));
  }
}

Felt together(const Machine& machine, double target_itl_seconds, std::int32_t max_batch_tokens) {
  const EngineOptions options = options_of(target_itl_seconds, max_batch_tokens);
  perf::ModelStepPrice price(machine.loaded.checkpoint(), options, machine.rates);
  engine::Session session(machine.loaded, options, {.price = &price});
  std::deque<Times> streams;
  for (std::uint32_t stream = 0; stream < kStreams; ++stream) {
    Times& times = streams.emplace_back(machine.clock());
    session.submit(greedy(session, prompt(kStreamPrompt, 1 + stream), 900, times));
  }
  while (streams.back().tokens().size() < kQuietTokens) session.step();
  Times late(machine.clock());
  const base::TimePoint arrival = machine.clock().now();
  session.submit(greedy(session, prompt(kLongPrompt, 100), 1, late));
  while (late.tokens().empty()) session.step();
  const base::TimePoint answered = late.tokens().front();
  session.cancel_all();
  session.run_until_idle();
  Felt felt{.quiet_gaps = {}, .gaps = {}, .long_ttft_seconds = seconds_between(arrival, answered)};
  for (const Times& times : streams) {
    add_gaps(times, {}, arrival, felt.quiet_gaps);
    add_gaps(times, arrival, answered, felt.gaps);
  }
  return felt;
}

void measure_interference(const Machine& machine) {
  double alone = 0;
  {
    engine::Session session(machine.loaded, options_of(0, 512));
    alone = first_token_seconds(machine, session, prompt(kLongPrompt, 100));
  }
  std::vector<double> quiet_gaps;
  const auto print = [&](const char* name, const Felt& felt) {
    quiet_gaps.insert(quiet_gaps.end(), felt.quiet_gaps.begin(), felt.quiet_gaps.end());
    fmt::print("| {} | {:.1f} | {:.1f} | {:.2f} |\n", name, 1e3 * percentile(felt.gaps, 0.5),
               1e3 * percentile(felt.gaps, 0.99), felt.long_ttft_seconds);
  };
  fmt::print("{} streams; a prompt of {} tokens comes.\n\n", kStreams, kLongPrompt);
  fmt::print("| | between tokens, ms: median | P99 | the long prompt's TTFT, s |\n");
  fmt::print("|---|---|---|---|\n| long prompt alone | | | {:.2f} |\n", alone);
  print("together, the prompt whole", together(machine, 0, kLongPrompt + kStreams));
  print("together, 512 rows a step", together(machine, 0, 512));
  const double quiet = percentile(quiet_gaps, 0.99);
  const Felt priced = together(machine, 2 * percentile(quiet_gaps, 0.5), 512);
  print("together, --target-itl twice the quiet median", priced);
  fmt::print("| streams alone | {:.1f} | {:.1f} | |\n\n", 1e3 * percentile(quiet_gaps, 0.5),
             1e3 * quiet);
  fmt::print(
      "P99 with a price {:.2f} times the quiet one (at most 2), TTFT {:.2f} times that alone "
      "(at most 3)\n\n",
      percentile(priced.gaps, 0.99) / quiet, priced.long_ttft_seconds / alone);
}

void measure_hits(const Machine& machine) {
  engine::Session session(machine.loaded, options_of(0, 512));
  std::vector<double> cold;
  std::vector<double> warm;
  for (std::uint32_t round = 0; round < 5; ++round) {
    session.clear_cache();
    cold.push_back(
        first_token_seconds(machine, session, prompt(kSharedPrompt, 2 * round + 1, kShared)));
    warm.push_back(
        first_token_seconds(machine, session, prompt(kSharedPrompt, 2 * round + 2, kShared)));
  }
  const double share = percentile(warm, 0.5) / percentile(cold, 0.5);
  fmt::print(
      "prompt of {} tokens, {} of them found: TTFT {:.0f} ms instead of {:.0f}, {:.1f} %; "
      "{:.1f} % of its tokens are its own\n",
      kSharedPrompt, kShared, 1e3 * percentile(warm, 0.5), 1e3 * percentile(cold, 0.5), 100 * share,
      100.0 * (kSharedPrompt - kShared) / kSharedPrompt);
}

int measure(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "measure_serving MODEL.gguf [THREADS]\n");
    return 2;
  }
  const int threads = argc > 2 ? std::atoi(argv[2]) : base::usable_core_count();
  base::ThreadPool pool(std::max(1, threads));
  const base::SystemClock clock;
  const base::Log log(base::LogLevel::off);
  Context context{pool, clock, log};
  engine::LoadOptions load;
  load.needs_tokenizer = false;
  engine::LoadedModel loaded(argv[1], load, context);
  const perf::Rates rates = perf::quick_rates(context, std::filesystem::temp_directory_path());
  const Machine machine{loaded, rates};
  measure_interference(machine);
  measure_hits(machine);
  return 0;
}

}  // namespace
}  // namespace cairn

int main(int argc, char** argv) {
  try {
    return cairn::measure(argc, argv);
  } catch (const cairn::Error& error) {
    fmt::print(stderr, "measure_serving: {}\n", error.message());
    return 1;
  }
}
