#include "engine/core.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <random>
#include <set>

#include "base/error.h"
#include "schedule/counting_executor.h"

namespace cairn::engine {
namespace {

using schedule::CountingExecutor;
using schedule::FinishReason;

constexpr std::int32_t kVocabulary = 300;
constexpr std::int64_t kMillisecond = 1'000'000;

/// Passes plans on and checks what must hold for each of them.
class CheckingExecutor final : public schedule::Executor {
 public:
  CheckingExecutor(CountingExecutor& inner, const schedule::SchedulerOptions& options)
      : inner_(inner), options_(options) {}

  schedule::Ticket submit(const schedule::StepPlan& plan) override {
    check_budget(plan);
    check_order(plan);
    return inner_.submit(plan);
  }
  void collect(schedule::Ticket ticket, schedule::StepResult& result) override {
    inner_.collect(ticket, result);
  }

 private:
  void check_budget(const schedule::StepPlan& plan) {
    std::int32_t rows = 0;
    std::int32_t logit_rows = 0;
    std::set<std::int64_t> seen;
    for (const schedule::SequenceStep& step : plan.sequences) {
      rows += step.token_count;
      logit_rows += step.logit_row_count();
      EXPECT_GT(step.token_count, 0);
      EXPECT_TRUE(seen.insert(step.sequence->id.value).second) << "twice in a step";
      EXPECT_LE(step.end_position(), step.sequence->token_count());
      EXPECT_LE(step.token_count,
                options_.prefill_chunk > 0 ? options_.prefill_chunk : options_.max_batch_tokens);
    }
    EXPECT_EQ(rows, plan.row_count);
    EXPECT_EQ(logit_rows, plan.logit_row_count);
    EXPECT_LE(rows, options_.max_batch_tokens);
    EXPECT_LE(logit_rows, options_.max_logit_rows);
    EXPECT_LE(plan.sequences.size(), static_cast<std::size_t>(options_.max_sequences));
  }

  void check_order(const schedule::StepPlan& plan) {
    bool prompts = false;
    for (const schedule::SequenceStep& step : plan.sequences) {
      const schedule::Sequence& sequence = *step.sequence;
      const bool decodes = sequence.generated_count() > 0 && step.token_count == 1;
      EXPECT_FALSE(decodes && prompts) << "a decode behind a prompt";
      prompts |= step.token_count > 1;
    }
  }

  CountingExecutor& inner_;
  schedule::SchedulerOptions options_;
};

/// The core, everything below it, and a virtual clock.
struct World {
  World(const schedule::SchedulerOptions& options, std::int32_t pages, std::int32_t window_pages,
        bool share_prefixes, std::int64_t check_interval = 4096)
      : groups(cache::group_layers(std::vector<cache::StateSpec>{cache::PagedState{1, 8, 8, 0},
                                                                 cache::PagedState{1, 8, 8, 24}})),
        cache(groups, cache_options(options, pages, window_pages, share_prefixes)),
        scheduler(options, cache, price),
        fake(groups, {16, cache.options().page_counts, kVocabulary, options.max_sequences}),
        executor(fake, options),
        core({scheduler, executor, price, clock, log, check_interval}) {}

  static cache::PagedCacheOptions cache_options(const schedule::SchedulerOptions& options,
                                                std::int32_t pages, std::int32_t window_pages,
                                                bool share_prefixes) {
    cache::PagedCacheOptions result;
    result.page_counts = {pages, window_pages};
    result.max_sequences = options.max_sequences;
    result.share_prefixes = share_prefixes;
    result.sequence_tokens = options.context_tokens;
    result.chunk_tokens = options.max_batch_tokens;
    return result;
  }

  bool step() {
    const bool busy = core.step();
    clock.advance(kMillisecond);
    EXPECT_EQ(scheduler.check_integrity(), "");
    EXPECT_EQ(fake.fault(), "");
    return busy;
  }

  std::vector<cache::PageGroup> groups;
  cache::PagedCache cache;
  schedule::UnknownPrice price;
  schedule::Scheduler scheduler;
  CountingExecutor fake;
  CheckingExecutor executor;
  base::VirtualClock clock;
  base::Log log{base::LogLevel::off};
  Core core;
};

schedule::SchedulerOptions small_options() {
  schedule::SchedulerOptions options;
  options.context_tokens = 256;
  options.vocabulary = kVocabulary;
  options.max_sequences = 6;
  options.max_waiting = 20;
  options.max_batch_tokens = 40;
  options.max_logit_rows = 12;
  return options;
}

Request make_request(std::int32_t prompt_count, std::int32_t max_tokens, std::int32_t start = 0) {
  Request request;
  for (std::int32_t i = 0; i < prompt_count; ++i) {
    request.prompt.emplace_back((start + i) % kVocabulary);
  }
  request.max_tokens = max_tokens;
  return request;
}

/// Remembers what a request was and what it was told.
struct Client final : schedule::RequestObserver {
  schedule::Next on_token(const schedule::TokenEvent& event) override {
    tokens[event.choice].push_back(event.token);
    return schedule::Next::go_on;
  }
  void on_finished(const schedule::FinishedEvent& event) override {
    EXPECT_TRUE(finished.emplace(event.choice, event.reason).second) << "finished twice";
    EXPECT_FALSE(last);
    last = event.last;
  }

  RequestId id;
  Request request;
  std::map<std::int32_t, std::vector<TokenId>> tokens;
  std::map<std::int32_t, FinishReason> finished;
  bool last = false;
};

/// What the request gives when it has the machine to itself.
std::vector<TokenId> expected_tokens(const Request& request, std::int32_t choice) {
  std::vector<TokenId> tokens = request.prompt;
  for (std::int32_t i = 0; i < *request.max_tokens; ++i) {
    tokens.push_back(
        CountingExecutor::next_token(tokens, request.sampling.seed, choice, kVocabulary));
    const auto& stops = request.stop_tokens;
    if (std::find(stops.begin(), stops.end(), tokens.back()) != stops.end()) break;
  }
  return {tokens.begin() + static_cast<std::ptrdiff_t>(request.prompt.size()), tokens.end()};
}

/// Clients that come, wait, are served, and sometimes go early. A run is one seed.
class RandomLoad {
 public:
  explicit RandomLoad(std::uint32_t seed)
      : random_(seed), world_(options(), pages(), 24, below(4) > 0) {}

  void run(int steps) {
    for (int i = 0; i < steps; ++i) {
      while (below(3) == 0) come();
      if (below(12) == 0 && !clients.empty()) {
        const Client& client = clients[static_cast<std::size_t>(below(size()))];
        world_.core.cancel(client.id);
      }
      world_.step();
    }
    while (world_.step()) {
    }
    EXPECT_EQ(world_.cache.owned_pages(), 0);
  }

  void check_outcomes() {
    for (const Client& client : clients) {
      EXPECT_TRUE(client.last);
      EXPECT_EQ(client.finished.size(), static_cast<std::size_t>(client.request.choice_count));
      for (const auto& [choice, reason] : client.finished) {
        const auto found = client.tokens.find(choice);
        const auto tokens = found == client.tokens.end() ? std::vector<TokenId>() : found->second;
        const auto expected = expected_tokens(client.request, choice);
        ASSERT_LE(tokens.size(), expected.size());
        EXPECT_TRUE(std::equal(tokens.begin(), tokens.end(), expected.begin()));
        const bool whole = reason == FinishReason::length || reason == FinishReason::stop;
        EXPECT_TRUE(!whole || tokens.size() == expected.size());
        ended[reason] += 1;
      }
    }
  }

  std::map<FinishReason, int> ended;
  int refused = 0;
  int unavailable = 0;
  std::deque<Client> clients;

 private:
  int below(int n) { return static_cast<int>(random_() % static_cast<std::uint32_t>(n)); }
  int size() const { return static_cast<int>(clients.size()); }
  std::int32_t pages() { return 5 + below(40); }
  schedule::SchedulerOptions options() {
    schedule::SchedulerOptions options = small_options();
    options.max_sequences = 1 + below(8);
    options.max_batch_tokens = options.max_sequences + below(60);
    options.max_logit_rows = options.max_sequences + below(4);
    options.prefill_chunk = below(3) == 0 ? 1 + below(30) : 0;
    return options;
  }

  void come() {
    Client& client = clients.emplace_back();
    Request request = make_request(1 + below(120), below(40), 50 * below(3));
    request.choice_count = below(5) == 0 ? 1 + below(3) : 1;
    request.sampling.seed = static_cast<std::uint64_t>(below(4));
    request.cache_salt = static_cast<std::uint64_t>(below(2));
    if (below(6) == 0) request.logits_from = below(100);
    if (below(3) == 0) {
      for (int i = 0; i < 12; ++i) request.stop_tokens.emplace_back(below(kVocabulary));
    }
    if (below(10) == 0) {
      request.deadline = world_.clock.now();
      request.deadline->nanoseconds += below(60) * kMillisecond;
    }
    request.observer = &client;
    client.request = request;
    try {
      client.id = world_.core.submit(std::move(request));
    } catch (const Error& error) {
      (error.kind() == ErrorKind::unavailable ? unavailable : refused) += 1;
      clients.pop_back();
    }
  }

  std::mt19937 random_;
  World world_;
};

TEST(Core, RandomLoadsKeepEveryPromise) {
  std::map<FinishReason, int> ended;
  int refused = 0;
  int unavailable = 0;
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    RandomLoad load(seed);
    load.run(300);
    load.check_outcomes();
    for (const auto& [reason, count] : load.ended) ended[reason] += count;
    refused += load.refused;
    unavailable += load.unavailable;
    if (::testing::Test::HasFailure()) break;
  }
  // Every way to end was taken, so that the checks above saw all of them.
  EXPECT_GT(ended[FinishReason::length], 100);
  EXPECT_GT(ended[FinishReason::stop], 100);
  EXPECT_GT(ended[FinishReason::cancelled], 100);
  EXPECT_GT(ended[FinishReason::deadline], 20);
  EXPECT_GT(refused, 20);
  EXPECT_GT(unavailable, 20);
}

TEST(Core, TheSameSeedIsTheSameRun) {
  const auto run = [](std::uint32_t seed) {
    RandomLoad load(seed);
    load.run(200);
    std::vector<std::pair<std::vector<TokenId>, FinishReason>> told;
    for (const Client& client : load.clients) {
      for (const auto& [choice, reason] : client.finished) {
        const auto found = client.tokens.find(choice);
        told.emplace_back(found == client.tokens.end() ? std::vector<TokenId>() : found->second,
                          reason);
      }
    }
    return told;
  };
  EXPECT_EQ(run(7), run(7));
  EXPECT_NE(run(7), run(8));
}

TEST(Core, AFullInboxSaysSo) {
  World world(small_options(), 64, 64, false);
  for (int i = 0; i < 20; ++i) world.core.submit(make_request(5, 5));
  const auto full = [&] {
    try {
      world.core.submit(make_request(5, 5));
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::unavailable);
      EXPECT_THAT(error.message(), ::testing::HasSubstr("20 sequences"));
      return true;
    }
    return false;
  };
  EXPECT_TRUE(full());
  world.step();  // six of them run now
  for (int i = 0; i < 6; ++i) EXPECT_FALSE(full());
  EXPECT_TRUE(full());
  while (world.step()) {
  }
  EXPECT_FALSE(full());
}

TEST(Core, CancellingFreesWithinOneStep) {
  World world(small_options(), 64, 64, true);
  std::deque<Client> clients(10);
  for (Client& client : clients) {
    Request request = make_request(60, 40);
    request.observer = &client;
    client.id = world.core.submit(std::move(request));
  }
  world.core.cancel(clients[9].id);  // still in the inbox
  for (int i = 0; i < 5; ++i) world.step();
  EXPECT_EQ(clients[9].finished[0], FinishReason::cancelled);
  world.core.cancel_all();
  world.step();
  EXPECT_EQ(world.cache.owned_pages(), 0);
  for (const Client& client : clients) EXPECT_TRUE(client.last);
  EXPECT_FALSE(world.step());
}

TEST(Core, AFaultIsRecoveredFromWithTheSameOutcome) {
  World world(small_options(), 64, 64, true, /*check_interval=*/1);
  std::deque<Client> clients(4);
  for (Client& client : clients) {
    Request request = make_request(30, 20, static_cast<std::int32_t>(10 * clients.size()));
    request.observer = &client;
    client.request = request;
    client.id = world.core.submit(std::move(request));
  }
  for (int i = 0; i < 6; ++i) world.step();
  ASSERT_TRUE(world.cache.open(clients[0].request.prompt, 9).has_value()) << "nobody's table";
  world.core.step();
  EXPECT_EQ(world.scheduler.check_integrity(), "");
  EXPECT_EQ(world.scheduler.statistics().faults, 1);
  while (world.step()) {
  }
  for (const Client& client : clients) {
    EXPECT_EQ(client.tokens.at(0), expected_tokens(client.request, 0));
  }
}

TEST(Core, AnObserverMaySubmitAndCancel) {
  struct Chain final : schedule::RequestObserver {
    explicit Chain(Core& c) : core(c) {}
    schedule::Next on_token(const schedule::TokenEvent&) override {
      ++tokens;
      core.cancel(victim);
      return schedule::Next::go_on;
    }
    void on_finished(const schedule::FinishedEvent&) override {
      if (++finished == 3) return;
      Request next = make_request(4, 2);
      next.observer = this;
      core.submit(std::move(next));
    }
    Core& core;
    RequestId victim;
    int tokens = 0;
    int finished = 0;
  };
  World world(small_options(), 64, 64, true);
  Chain chain(world.core);
  Client victim;
  Request request = make_request(4, 200);
  request.observer = &victim;
  chain.victim = world.core.submit(std::move(request));
  Request first = make_request(4, 2);
  first.observer = &chain;
  world.core.submit(std::move(first));
  while (world.step()) {
  }
  EXPECT_EQ(chain.finished, 3);
  EXPECT_EQ(chain.tokens, 6);
  EXPECT_EQ(victim.finished[0], FinishReason::cancelled);
}

TEST(Core, StepsAreCounted) {
  struct Counter final : StepObserver {
    void on_step(const StepStatistics& step) override { steps.push_back(step); }
    std::vector<StepStatistics> steps;
  } counter;
  World world(small_options(), 64, 64, false);
  world.core.set_step_observer(&counter);
  world.core.submit(make_request(50, 3));
  world.core.submit(make_request(5, 3, 100));
  while (world.step()) {
  }
  ASSERT_EQ(counter.steps.size(), 4u);
  EXPECT_EQ(counter.steps[0].rows, 40);
  EXPECT_EQ(counter.steps[0].decode_rows, 0);
  EXPECT_EQ(counter.steps[1].rows, 15);
  EXPECT_EQ(counter.steps[1].context_tokens, 55);
  EXPECT_EQ(counter.steps[2].decode_rows, 2);
  EXPECT_EQ(counter.steps[2].context_tokens, 51 + 6);
  EXPECT_EQ(counter.steps[2].logit_rows, 2);
  EXPECT_EQ(counter.steps[3].running_sequences, 2);
  EXPECT_FALSE(counter.steps[0].predicted_seconds.has_value());
}

}  // namespace
}  // namespace cairn::engine
