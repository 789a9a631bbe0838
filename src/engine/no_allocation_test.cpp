// After start no step allocates (M1): counted by replacing the global operator new of this test
// program.

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "engine/session.h"
#include "models/test_folder.h"

namespace {

std::atomic<bool> counting{false};
std::atomic<std::int64_t> allocations{0};

}  // namespace

// Not inlined: the compiler would see free() meet a pointer from operator new and warn.
[[gnu::noinline]] void* operator new(std::size_t size) {
  if (counting.load(std::memory_order_relaxed)) allocations.fetch_add(1);
  if (void* const memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  if (counting.load(std::memory_order_relaxed)) allocations.fetch_add(1);
  return std::malloc(size == 0 ? 1 : size);
}
[[gnu::noinline]] void operator delete(void* memory, const std::nothrow_t&) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

namespace cairn::engine {
namespace {

struct Silent final : schedule::RequestObserver {
  schedule::Next on_token(const schedule::TokenEvent&) override {
    ++tokens;
    return schedule::Next::go_on;
  }
  void on_finished(const schedule::FinishedEvent&) override { ++finished; }
  int tokens = 0;
  int finished = 0;
};

TEST(NoAllocation, StepsTakeNoMemory) {
  const models::TestFolder folder("gemma3_text");
  base::ThreadPool threads(2);
  const base::SystemClock clock;
  const base::Log log(base::LogLevel::off);
  Context context{threads, clock, log};
  LoadOptions load;
  load.needs_tokenizer = false;
  LoadedModel loaded(folder.path(), load, context);
  EngineOptions options;
  options.context_tokens = 200;
  options.kv_tokens = 800;
  options.max_sequences = 3;
  options.max_batch_tokens = 40;
  Session session(loaded, options);

  Silent silent;
  const auto submit = [&](std::int32_t prompt_count, std::uint64_t seed) {
    std::vector<TokenId> prompt;
    prompt.reserve(static_cast<std::size_t>(prompt_count));
    for (std::int32_t i = 0; i < prompt_count; ++i) prompt.emplace_back(i % 90);
    Request request = session.new_request(std::move(prompt));
    request.max_tokens = 30;
    request.sampling.seed = seed;
    request.sampling.repetition_penalty = 1.1f;
    request.sampling.top_logprobs = 3;
    request.observer = &silent;
    session.submit(std::move(request));
  };
  // The first round may grow scratch that the backend and the sampler keep.
  for (int round = 0; round < 2; ++round) {
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
      submit(20 + 25 * static_cast<std::int32_t>(seed), seed);
    }
    allocations = 0;
    counting = round == 1;
    while (silent.finished < 5 * (round + 1)) session.step();
    counting = false;
    session.run_until_idle();  // checks its integrity, which allocates
  }
  EXPECT_EQ(allocations, 0);
  EXPECT_EQ(silent.tokens, 2 * 5 * 30);
  EXPECT_EQ(silent.finished, 2 * 5);
}

}  // namespace
}  // namespace cairn::engine
