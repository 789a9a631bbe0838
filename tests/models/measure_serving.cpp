// What running streams feel of a long prompt, and what a prefix in the cache saves, on a real
// model and by the clock:
//
//   measure_serving streams|hits MODEL.gguf [THREADS|cpu]
//
// cpu: one thread, by the time that the processor spends on it, so that others on the machine do
// not count.
//
// docs/serving_experiments.md shows what it printed. No test: it depends on the machine.

#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "engine/session.h"
#include "perf/model_step_price.h"

namespace cairn {
namespace {

constexpr std::int32_t kStreams = 8;
constexpr std::int32_t kStreamPrompt = 100;
constexpr std::int32_t kStreamTokens = 1100;
constexpr std::size_t kTokensBefore = 60;  // of each stream, when the long prompt comes
constexpr std::size_t kQuietTokens = 600;  // where none comes; about as long as they get beside it
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

class ProcessorClock final : public base::Clock {
 public:
  base::TimePoint now() const override {
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return {std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec};
  }
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

/// How far from the clock each step's price was, as a share of what the step took.
class PriceErrors final : public engine::StepObserver {
 public:
  void on_step(const engine::StepStatistics& step) override {
    const double seconds = seconds_between(step.started, step.ended);
    if (step.predicted_seconds) {
      errors_.push_back(std::abs(*step.predicted_seconds - seconds) / seconds);
    }
  }
  const std::vector<double>& errors() const { return errors_; }

 private:
  std::vector<double> errors_;
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
  options.kv_tokens =
      std::int64_t{4096} + std::int64_t{kStreams} * (kStreamPrompt + kStreamTokens + 32);
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
  std::vector<double> gaps;  // between tokens of the streams, from its arrival to its first token
  double long_ttft_seconds = 0;
  std::vector<double> price_errors;  // meanwhile
};

/// Streams that run until each has so many tokens.
class Streams {
 public:
  Streams(const Machine& machine, engine::Session& session) : session_(session) {
    for (std::uint32_t stream = 0; stream < kStreams; ++stream) {
      Times& times = times_.emplace_back(machine.clock());
      session.submit(greedy(session, prompt(kStreamPrompt, 1 + stream), kStreamTokens, times));
    }
  }
  void run(std::size_t tokens) {
    while (times_.back().tokens().size() < tokens) session_.step();
  }
  std::vector<double> gaps(base::TimePoint from, base::TimePoint to) const {
    std::vector<double> gaps;
    for (const Times& times : times_) {
      for (std::size_t i = 1; i < times.tokens().size(); ++i) {
        const base::TimePoint token = times.tokens()[i];
        if (token <= from || token > to) continue;
        gaps.push_back(seconds_between(times.tokens()[i - 1], token));
      }
    }
    return gaps;
  }

 private:
  engine::Session& session_;
  std::deque<Times> times_;
};

std::vector<double> quiet_gaps(const Machine& machine) {
  engine::Session session(machine.loaded, options_of(0, 512));
  Streams streams(machine, session);
  streams.run(kTokensBefore);
  const base::TimePoint begin = machine.clock().now();
  streams.run(kQuietTokens);
  return streams.gaps(begin, machine.clock().now());
}

Felt together(const Machine& machine, double target_itl_seconds, std::int32_t max_batch_tokens) {
  const EngineOptions options = options_of(target_itl_seconds, max_batch_tokens);
  perf::ModelStepPrice price(machine.loaded.checkpoint(), options, machine.rates);
  engine::Session session(machine.loaded, options, {.price = &price});
  Streams streams(machine, session);
  streams.run(kTokensBefore);
  Times late(machine.clock());
  PriceErrors errors;
  session.set_step_observer(&errors);
  const base::TimePoint arrival = machine.clock().now();
  session.submit(greedy(session, prompt(kLongPrompt, 100), 1, late));
  while (late.tokens().empty()) session.step();
  const base::TimePoint answered = late.tokens().front();
  session.cancel_all();
  session.run_until_idle();
  return {.gaps = streams.gaps(arrival, answered),
          .long_ttft_seconds = seconds_between(arrival, answered),
          .price_errors = errors.errors()};
}

void measure_interference(const Machine& machine) {
  double alone = 0;
  {
    engine::Session session(machine.loaded, options_of(0, 512));
    alone = first_token_seconds(machine, session, prompt(kLongPrompt, 100));
  }
  const auto print = [](const char* name, const Felt& felt) {
    fmt::print("| {} | {:.1f} | {:.1f} | {:.2f} |\n", name, 1e3 * percentile(felt.gaps, 0.5),
               1e3 * percentile(felt.gaps, 0.99), felt.long_ttft_seconds);
    std::fflush(stdout);
  };
  fmt::print("{} streams; a prompt of {} tokens comes.\n\n", kStreams, kLongPrompt);
  fmt::print("| | between tokens, ms: median | P99 | the long prompt's TTFT, s |\n");
  fmt::print("|---|---|---|---|\n| long prompt alone | | | {:.2f} |\n", alone);
  const std::vector<double> quiet = quiet_gaps(machine);
  const double quiet_median = percentile(quiet, 0.5);
  const double quiet_p99 = percentile(quiet, 0.99);
  fmt::print("| streams alone | {:.1f} | {:.1f} | |\n", 1e3 * quiet_median, 1e3 * quiet_p99);
  // A little below the bar: a tenth of the steps cost more than their price says.
  const Felt priced = together(machine, 1.9 * quiet_median, 512);
  print("together, --target-itl 1.9 times the quiet median", priced);
  print("together, 512 rows a step", together(machine, 0, 512));
  print("together, the prompt whole", together(machine, 0, kLongPrompt + kStreams));
  fmt::print(
      "\nP99 with a price {:.2f} times the quiet one (at most 2), TTFT {:.2f} times that alone "
      "(at most 3); prices are {:.0f} % off in the median, 9 of 10 less than {:.0f} %\n",
      percentile(priced.gaps, 0.99) / quiet_p99, priced.long_ttft_seconds / alone,
      100 * percentile(priced.price_errors, 0.5), 100 * percentile(priced.price_errors, 0.9));
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
  const std::string_view what = argc > 1 ? argv[1] : "";
  if (argc < 3 || (what != "streams" && what != "hits")) {
    fmt::print(stderr, "measure_serving streams|hits MODEL.gguf [THREADS|cpu]\n");
    return 2;
  }
  const std::string_view how = argc > 3 ? argv[3] : "";
  const int threads = argc > 3 ? std::atoi(argv[3]) : base::usable_core_count();
  base::ThreadPool pool(std::max(1, threads));
  const base::SystemClock wall_clock;
  const ProcessorClock processor_clock;
  const base::Log log(base::LogLevel::off);
  const base::Clock& clock =
      how == "cpu" ? static_cast<const base::Clock&>(processor_clock) : wall_clock;
  Context context{pool, clock, log};
  engine::LoadOptions load;
  load.needs_tokenizer = false;
  engine::LoadedModel loaded(argv[2], load, context);
  const perf::Rates rates = perf::quick_rates(context, std::filesystem::temp_directory_path());
  const Machine machine{loaded, rates};
  what == "streams" ? measure_interference(machine) : measure_hits(machine);
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
