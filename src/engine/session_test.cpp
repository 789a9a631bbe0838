// Sessions on random tiny models of every family: what a request gives does not depend on its
// company, its chunks, the cache, the pages or the threads, bit for bit.

#include "engine/session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>

#include "base/random.h"
#include "engine/engine.h"
#include "engine/logits_hash.h"
#include "engine/test_loaded.h"
#include "models/test_folder.h"

namespace cairn::engine {
namespace {

using models::TestFolder;
using schedule::FinishReason;
using ::testing::HasSubstr;

std::vector<TokenId> random_tokens(std::size_t count, std::uint64_t seed) {
  std::vector<TokenId> tokens;
  for (std::size_t i = 0; i < count; ++i) {
    const double draw =
        base::uniform_draw(seed, 2, static_cast<std::uint32_t>(i), base::DrawPurpose::test);
    tokens.emplace_back(static_cast<std::int32_t>(draw * TestFolder::kVocabulary));
  }
  return tokens;
}

/// Everything a request was told.
struct Answer final : schedule::RequestObserver {
  schedule::Next on_token(const schedule::TokenEvent& event) override {
    auto& list = event.index < 0 ? given[event.choice] : drawn[event.choice];
    list.push_back(event.token);
    logprobs[event.choice].push_back(event.logprob);
    return schedule::Next::go_on;
  }
  void on_logits(std::int32_t choice, std::int32_t position,
                 std::span<const float> logits) override {
    EXPECT_EQ(logits.size(), TestFolder::kVocabulary);
    const auto key = std::pair(choice, position);
    EXPECT_TRUE(hashes.emplace(key, logits_hash(logits)).second) << "position " << position;
  }
  void on_finished(const schedule::FinishedEvent& event) override { finished.push_back(event); }

  std::map<std::int32_t, std::vector<TokenId>> drawn;
  std::map<std::int32_t, std::vector<TokenId>> given;
  std::map<std::int32_t, std::vector<float>> logprobs;
  std::map<std::pair<std::int32_t, std::int32_t>, std::uint64_t> hashes;
  std::vector<schedule::FinishedEvent> finished;
};

/// Rows of the steps until `answer` is there.
struct RowCounter final : StepObserver {
  explicit RowCounter(const Answer& a) : answer(a) {}
  void on_step(const StepStatistics& step) override {
    if (answer.finished.size() < 2) rows.push_back(step.rows);
  }
  std::int32_t median() {
    std::sort(rows.begin(), rows.end());
    return rows[rows.size() / 2];
  }
  const Answer& answer;
  std::vector<std::int32_t> rows;
};

EngineOptions roomy() {
  EngineOptions options;
  options.context_tokens = 160;
  options.kv_tokens = 4000;
  options.max_sequences = 10;
  options.max_batch_tokens = 96;
  options.max_logit_rows = 96;
  return options;
}

/// A request that shows all its logits: 70 prompt tokens, 12 drawn for each of two choices.
Request shown_request(const Session& session, Answer& answer) {
  Request request = session.new_request(random_tokens(70, 11));
  request.choice_count = 2;
  request.max_tokens = 12;
  request.logits_from = 0;
  request.sampling.seed = 5;
  request.sampling.temperature = 1.0f;
  request.observer = &answer;
  return request;
}

Answer answer_alone(Loaded& loaded, const EngineOptions& options) {
  Session session(loaded.model, options);
  Answer answer;
  session.submit(shown_request(session, answer));
  session.run_until_idle();
  EXPECT_EQ(session.check_integrity(), "");
  EXPECT_EQ(session.used_pages(), 0);
  return answer;
}

void expect_equal(const Answer& found, const Answer& expected) {
  EXPECT_EQ(expected.hashes.size(), 2u * (70 + 11));
  EXPECT_EQ(found.drawn, expected.drawn);
  EXPECT_TRUE(found.hashes == expected.hashes);
}

/// Family, backend, KV type (keys/values).
using FamilyCase = std::tuple<std::string, std::string, std::string>;

class EveryFamily : public testing::TestWithParam<FamilyCase> {
 protected:
  EngineOptions roomy() const {
    const std::string types = std::get<2>(GetParam());
    const std::size_t middle = types.find('/');
    EngineOptions options = engine::roomy();
    options.key_type = tensor::find_format(types.substr(0, middle))->dtype;
    options.value_type = tensor::find_format(types.substr(middle + 1))->dtype;
    return options;
  }
  const std::string backend_ = std::get<1>(GetParam());
  const TestFolder folder_{std::get<0>(GetParam())};
};

std::string name_of_case(const testing::TestParamInfo<FamilyCase>& test) {
  std::string name = fmt::format("{}_{}_{}", std::get<0>(test.param), std::get<1>(test.param),
                                 std::get<2>(test.param));
  std::replace(name.begin(), name.end(), '/', '_');
  return name;
}
INSTANTIATE_TEST_SUITE_P(
    Session, EveryFamily,
    testing::Combine(testing::Values("llama", "mistral", "qwen3", "gemma3_text"),
                     testing::Values("reference", "cpu"), testing::Values("f16/f16")),
    name_of_case);
INSTANTIATE_TEST_SUITE_P(SessionWithQuantizedKv, EveryFamily,
                         testing::Combine(testing::Values("llama", "mistral"),
                                          testing::Values("reference", "cpu"),
                                          testing::Values("q8_0/q8_0", "q4_0/q4_0", "q8_0/f16")),
                         name_of_case);

TEST_P(EveryFamily, ChunksThreadsAndPagesChangeNoBit) {
  Loaded loaded(folder_.path(), backend_);
  const Answer expected = answer_alone(loaded, roomy());
  EXPECT_NE(expected.drawn.at(0), expected.drawn.at(1)) << "each choice has draws of its own";
  for (const std::int32_t chunk : {1, 7, 32}) {
    EngineOptions options = roomy();
    options.prefill_chunk = chunk;
    SCOPED_TRACE(fmt::format("chunks of {}", chunk));
    expect_equal(answer_alone(loaded, options), expected);
  }
  EngineOptions large_pages = roomy();
  large_pages.page_tokens = 64;
  expect_equal(answer_alone(loaded, large_pages), expected);
  EngineOptions one_by_one = roomy();
  one_by_one.max_sequences = 1;
  one_by_one.max_logit_rows = 3;
  expect_equal(answer_alone(loaded, one_by_one), expected);
  Loaded single(folder_.path(), backend_, 1);
  expect_equal(answer_alone(single, roomy()), expected);
}

TEST_P(EveryFamily, CompanyChangesNoBit) {
  Loaded loaded(folder_.path(), backend_);
  const Answer expected = answer_alone(loaded, roomy());
  Session session(loaded.model, roomy());
  std::deque<Answer> strangers(8);
  std::vector<RequestId> ids;
  Answer answer;
  RowCounter rows(answer);
  session.set_step_observer(&rows);
  for (std::size_t i = 0; i < strangers.size(); ++i) {
    // Some share the prompt's beginning, some leave midway.
    auto prompt = random_tokens(20 + 9 * i, i % 2 == 0 ? 11 : 50 + i);
    Request request = session.new_request(std::move(prompt));
    request.max_tokens = 50;
    request.sampling.seed = i;
    request.observer = &strangers[i];
    ids.push_back(session.submit(std::move(request)));
    if (i == 3) session.submit(shown_request(session, answer));
  }
  for (int step = 0; session.step(); ++step) {
    if (step == 9) session.cancel(ids[1]);
    if (step == 11) session.cancel(ids[4]);
  }
  expect_equal(answer, expected);
  EXPECT_GE(rows.median(), 8);
  EXPECT_EQ(strangers[1].finished.at(0).reason, FinishReason::cancelled);
  EXPECT_EQ(strangers[2].finished.at(0).reason, FinishReason::length);
  EXPECT_EQ(session.used_pages(), 0);
}

TEST_P(EveryFamily, AConversationFromTheCacheChangesNoBit) {
  Loaded loaded(folder_.path(), backend_);
  EngineOptions options = roomy();
  options.max_sequences = 1;
  const auto converse = [&](bool prefix_cache) {
    options.prefix_cache = prefix_cache;
    Session session(loaded.model, options);
    std::vector<TokenId> history = random_tokens(30, 21);
    std::vector<std::pair<std::vector<TokenId>, std::uint64_t>> turns;
    std::int32_t cached = 0;
    for (std::uint64_t turn = 0; turn < 3; ++turn) {
      Answer answer;
      Request request = session.new_request(history);
      request.max_tokens = 10;
      request.logits_from = static_cast<std::int32_t>(history.size()) - 1;
      request.observer = &answer;
      session.submit(std::move(request));
      session.run_until_idle();
      turns.emplace_back(answer.drawn[0], answer.hashes.begin()->second);
      cached += answer.finished.at(0).usage.cached_tokens;
      history.insert(history.end(), answer.drawn[0].begin(), answer.drawn[0].end());
      const auto question = random_tokens(8, 30 + turn);
      history.insert(history.end(), question.begin(), question.end());
    }
    EXPECT_EQ(cached, prefix_cache ? 39 + 57 : 0);
    return turns;
  };
  EXPECT_TRUE(converse(true) == converse(false));
}

TEST(Session, PromptLogprobsAreThoseOfTheLogits) {
  const TestFolder folder("llama");
  Loaded loaded(folder.path(), "cpu");
  Session session(loaded.model, roomy());
  struct Scores final : schedule::RequestObserver {
    schedule::Next on_token(const schedule::TokenEvent& event) override {
      EXPECT_EQ(event.top.size(), 2u);
      EXPECT_GE(event.top[0].logprob, event.top[1].logprob);
      found[event.position] = event.logprob;
      EXPECT_NEAR(event.logprob, expected.at(event.position), 1e-4) << event.position;
      EXPECT_TRUE(event.index < 0 || event.token == event.top[0].token) << "greedy";
      return schedule::Next::go_on;
    }
    void on_logits(std::int32_t, std::int32_t position, std::span<const float> logits) override {
      double sum = 0;
      for (const float logit : logits) sum += std::exp(static_cast<double>(logit));
      const auto next = static_cast<std::size_t>(position) + 1;
      const auto best = std::max_element(logits.begin(), logits.end()) - logits.begin();
      const auto token = next < prompt.size() ? prompt[next].value : static_cast<int>(best);
      expected[position + 1] =
          static_cast<double>(logits[static_cast<std::size_t>(token)]) - std::log(sum);
    }
    void on_finished(const schedule::FinishedEvent&) override {}
    std::vector<TokenId> prompt;
    std::map<int, double> expected;
    std::map<int, double> found;
  } scores;
  scores.prompt = random_tokens(40, 8);
  Request request = session.new_request(scores.prompt);
  request.prompt_logprobs = true;
  request.logits_from = 0;
  request.sampling.temperature = 0;
  request.sampling.top_logprobs = 2;
  request.max_tokens = 3;
  request.observer = &scores;
  session.submit(std::move(request));
  session.run_until_idle();
  EXPECT_EQ(scores.found.size(), 39u + 3u);
}

TEST(Session, MinTokensAndIgnoreEosHoldEndTokensBack) {
  const TestFolder folder("llama");
  Loaded loaded(folder.path(), "cpu");
  Session session(loaded.model, roomy());
  std::vector<TokenId> all;
  all.reserve(90);
  for (std::int32_t token = 0; token < 90; ++token) all.emplace_back(token);
  const auto generated = [&](std::int32_t min_tokens, bool ignore_eos) {
    Answer answer;
    Request request = session.new_request(random_tokens(10, 3));
    request.end_tokens = all;  // nearly everything ends the answer
    request.min_tokens = min_tokens;
    request.max_tokens = 9;
    request.sampling.temperature = 0;
    request.sampling.ignore_eos = ignore_eos;
    request.observer = &answer;
    session.submit(std::move(request));
    session.run_until_idle();
    return answer.drawn[0].size();
  };
  const std::size_t plain = generated(0, false);
  EXPECT_LT(plain, 9u);
  EXPECT_GE(generated(5, false), 6u);
  EXPECT_EQ(generated(0, true), 9u);
}

TEST(Session, RefusesWhatContradicts) {
  const TestFolder folder("llama");
  Loaded loaded(folder.path(), "reference");
  const auto refusal = [&](auto change) -> std::string {
    EngineOptions options = roomy();
    change(options);
    try {
      Session session(loaded.model, options);
      Request request = session.new_request(random_tokens(161, 1));
      session.submit(std::move(request));
    } catch (const Error& error) {
      return error.message();
    }
    return "accepted";
  };
  EXPECT_THAT(refusal([](auto& o) { o.page_tokens = 20; }), HasSubstr("page_tokens: found 20"));
  EXPECT_THAT(refusal([](auto& o) { o.key_type = DType::q4_k; }),
              HasSubstr("KV type of keys: found q4_k, expected f32"));
  EXPECT_THAT(refusal([](auto& o) { o.max_sequences = 0; }), HasSubstr("max_sequences: found 0"));
  EXPECT_THAT(refusal([](auto& o) { o.order = "random"; }), HasSubstr("fcfs"));
  EXPECT_THAT(refusal([](auto& o) {
                o.context_tokens = 2'000'000'000;
                o.kv_tokens = 1LL << 40;
              }),
              HasSubstr("available"));
  EXPECT_THAT(refusal([](auto& o) { o.kv_tokens = 100; }), HasSubstr("kv_tokens: found 100"));
  EXPECT_THAT(refusal([](auto&) {}), HasSubstr("prompt: 161 tokens leave no room"));
}

TEST(Engine, ServesFromAThreadOfItsOwn) {
  const TestFolder folder("llama");
  Loaded loaded(folder.path(), "cpu");
  struct Waiting final : schedule::RequestObserver {
    schedule::Next on_token(const schedule::TokenEvent&) override {
      ++tokens;
      return schedule::Next::go_on;
    }
    void on_finished(const schedule::FinishedEvent& event) override {
      const std::scoped_lock lock(mutex);
      reason = event.reason;
      changed.notify_all();
    }
    void wait() {
      std::unique_lock lock(mutex);
      changed.wait(lock, [this] { return reason != FinishReason::none; });
    }
    std::atomic<int> tokens = 0;
    std::mutex mutex;
    std::condition_variable changed;
    FinishReason reason = FinishReason::none;
  };
  Waiting first, second, endless;
  {
    Engine engine(loaded.model, roomy());
    const auto ask = [&](Waiting& waiting, std::int32_t max_tokens) {
      Request request = engine.new_request(random_tokens(9, 1));
      request.max_tokens = max_tokens;
      request.observer = &waiting;
      return engine.submit(std::move(request));
    };
    ask(first, 20);
    first.wait();
    EXPECT_EQ(first.tokens, 20);
    const RequestId id = ask(second, 150);
    engine.cancel(id);
    second.wait();
    EXPECT_EQ(second.reason, FinishReason::cancelled);
    ask(endless, 150);
  }
  EXPECT_NE(endless.reason, FinishReason::none) << "the destructor ends what runs";
}

}  // namespace
}  // namespace cairn::engine
