// Real models: the same request alone, beside eight strangers, in chunks and on one thread gives
// equal logits at every position. Needs the folder that CAIRN_MODELS names.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <deque>

#include "base/random.h"
#include "engine/logits_hash.h"
#include "engine/session.h"

namespace cairn::engine {
namespace {

constexpr std::int32_t kPromptTokens = 60;
constexpr std::int32_t kMaxTokens = 12;
constexpr std::size_t kStrangers = 8;

std::vector<TokenId> random_tokens(std::size_t count, std::uint64_t seed) {
  std::vector<TokenId> tokens;
  for (std::size_t i = 0; i < count; ++i) {
    const double draw =
        base::uniform_draw(seed, 4, static_cast<std::uint32_t>(i), base::DrawPurpose::test);
    tokens.emplace_back(1000 + static_cast<std::int32_t>(draw * 40'000));
  }
  return tokens;
}

struct Hashes final : schedule::RequestObserver {
  schedule::Next on_token(const schedule::TokenEvent& event) override {
    tokens.push_back(event.token);
    return schedule::Next::go_on;
  }
  void on_logits(std::int32_t, std::int32_t, std::span<const float> logits) override {
    hashes.push_back(logits_hash(logits));
  }
  void on_finished(const schedule::FinishedEvent&) override {}
  friend bool operator==(const Hashes& a, const Hashes& b) {
    return a.tokens == b.tokens && a.hashes == b.hashes;
  }
  std::vector<TokenId> tokens;
  std::vector<std::uint64_t> hashes;
};

Hashes answer(LoadedModel& loaded, std::size_t stranger_count, std::int32_t chunk) {
  EngineOptions options;
  options.context_tokens = 200;
  options.kv_tokens = 2000;
  options.max_sequences = static_cast<std::int32_t>(kStrangers) + 1;
  options.prefill_chunk = chunk;
  Session session(loaded, options);
  Hashes shown;
  std::deque<Hashes> strangers(stranger_count);
  const auto submit = [&](std::size_t prompt_count, std::uint64_t seed, Hashes& observer,
                          std::int32_t logits_from) {
    Request request = session.new_request(random_tokens(prompt_count, seed));
    request.max_tokens = kMaxTokens;
    request.sampling.seed = seed;
    request.sampling.ignore_eos = true;
    request.logits_from = logits_from;
    request.observer = &observer;
    session.submit(std::move(request));
  };
  for (std::size_t i = 0; i < stranger_count; ++i) {
    if (i == stranger_count / 2) submit(kPromptTokens, 1, shown, 0);
    submit(15 + 11 * i, 10 + i, strangers[i], Request::kNoLogits);
  }
  if (stranger_count == 0) submit(kPromptTokens, 1, shown, 0);
  session.run_until_idle();
  EXPECT_EQ(session.check_integrity(), "");
  return shown;
}

class RealModel : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Exact, RealModel,
                         ::testing::Values("smollm2-135m-instruct-q4_1", "gemma-3-270m-q4_k_m",
                                           "qwen2.5-coder-0.5b-instruct-q4_k_m"),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::replace_if(
                               name.begin(), name.end(),
                               [](char c) { return c == '-' || c == '.'; }, '_');
                           return name;
                         });

TEST_P(RealModel, GivesTheSameInAnyCompany) {
  const char* const folder = std::getenv("CAIRN_MODELS");
  if (folder == nullptr) GTEST_SKIP() << "CAIRN_MODELS is not set: real models are not here";
  const auto path = std::filesystem::path(folder) / (std::string(GetParam()) + ".gguf");
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not there";

  const base::SystemClock clock;
  const base::Log log(base::LogLevel::off);
  LoadOptions load;
  load.needs_tokenizer = false;
  base::ThreadPool two(2);
  Context context{two, clock, log};
  LoadedModel loaded(path, load, context);
  const Hashes alone = answer(loaded, 0, 0);
  EXPECT_EQ(alone.hashes.size(), static_cast<std::size_t>(kPromptTokens + kMaxTokens - 1));
  EXPECT_TRUE(answer(loaded, kStrangers, 0) == alone);
  EXPECT_TRUE(answer(loaded, kStrangers, 7) == alone);
  base::ThreadPool one(1);
  Context single{one, clock, log};
  LoadedModel on_one_thread(path, load, single);
  EXPECT_TRUE(answer(on_one_thread, 0, 13) == alone);
}

}  // namespace
}  // namespace cairn::engine
