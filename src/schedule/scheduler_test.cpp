#include "schedule/scheduler.h"

#include "schedule/test_scheduler.h"

namespace cairn::schedule {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST_F(SchedulerTest, APromptIsChunkedAndThenDecoded) {
  start(small());
  Recorder recorder;
  Request r = request(70, 3);
  r.observer = &recorder;
  submit(r);
  EXPECT_THAT(step(), ElementsAre(32));
  EXPECT_THAT(step(), ElementsAre(32));
  EXPECT_TRUE(recorder.tokens.empty());
  EXPECT_THAT(step(), ElementsAre(6));
  EXPECT_EQ(recorder.tokens.size(), 1u);
  EXPECT_THAT(step(), ElementsAre(1));
  EXPECT_THAT(step(), ElementsAre(1));
  ASSERT_EQ(recorder.finished.size(), 1u);
  EXPECT_EQ(recorder.finished[0].reason, FinishReason::length);
  EXPECT_EQ(recorder.finished[0].usage.prompt_tokens, 70);
  EXPECT_EQ(recorder.finished[0].usage.generated_tokens, 3);
  EXPECT_TRUE(step().empty());
  EXPECT_EQ(cache_->owned_pages(), 0);
}

TEST_F(SchedulerTest, DecodesComeFirstAndAPromptDelaysThemByItsChunkOnly) {
  start(small());
  submit(request(5, 50));
  submit(request(6, 50, 20));
  step();
  submit(request(100, 5, 40));
  EXPECT_THAT(step(), ElementsAre(1, 1, 30));
  EXPECT_EQ(plan_.decode_row_count, 2);
  EXPECT_THAT(step(), ElementsAre(1, 1, 30));
  submit(request(10, 5, 200));
  EXPECT_THAT(step(), ElementsAre(1, 1, 30));
  EXPECT_THAT(step(), ElementsAre(1, 1, 10, 10)) << "the rest of the step goes to the next in line";
}

TEST_F(SchedulerTest, PrefillChunkBoundsEachPrompt) {
  SchedulerOptions options = small();
  options.prefill_chunk = 7;
  start(options);
  submit(request(20, 2));
  submit(request(9, 2, 100));
  EXPECT_THAT(step(), ElementsAre(7, 7));
  EXPECT_THAT(step(), ElementsAre(7, 2));
}

TEST_F(SchedulerTest, FirstComeFirstServed) {
  SchedulerOptions options = small();
  options.max_sequences = 1;
  start(options);
  std::vector<Recorder> recorders(3);
  std::vector<int> order;
  for (int i = 0; i < 3; ++i) {
    Request r = request(4, 2, 50 * i);
    r.observer = &recorders[static_cast<std::size_t>(i)];
    submit(std::move(r));
  }
  while (!step().empty()) {
    for (int i = 0; i < 3; ++i) {
      const bool done = !recorders[static_cast<std::size_t>(i)].finished.empty();
      if (done && std::find(order.begin(), order.end(), i) == order.end()) order.push_back(i);
    }
  }
  EXPECT_THAT(order, ElementsAre(0, 1, 2));
}

TEST_F(SchedulerTest, AdmissionWaitsForThePagesOfThePromptAndOneForEachThatRuns) {
  start(small(), /*pages=*/10);  // 160 positions
  submit(request(60, 80));       // 4 pages
  submit(request(90, 5, 100));   // 6 pages and one for the first: one too many
  EXPECT_THAT(step(), ElementsAre(32));
  EXPECT_THAT(step(), ElementsAre(28)) << "what is left of the step goes to nobody";
  EXPECT_EQ(scheduler_->waiting_count(), 1);
  for (int i = 0; i < 79; ++i) step();
  EXPECT_THAT(step(), ElementsAre(32));
  EXPECT_EQ(scheduler_->waiting_count(), 0);
}

TEST_F(SchedulerTest, WhatCanNeverRunIsRefused) {
  start(small(), /*pages=*/10);
  EXPECT_THAT(refusal(request(20, 150), ErrorKind::out_of_memory), HasSubstr("170 tokens"));
  EXPECT_THAT(refusal(request(201, 0), ErrorKind::invalid_argument), HasSubstr("context of 200"));
  EXPECT_THAT(refusal(request(100, 101), ErrorKind::invalid_argument), HasSubstr("at most 100"));
  EXPECT_THAT(refusal(request(0, 5), ErrorKind::invalid_argument), HasSubstr("no tokens"));
  Request outside = request(3, 5);
  outside.prompt[1] = TokenId(kVocabulary);
  EXPECT_THAT(refusal(outside, ErrorKind::invalid_argument),
              HasSubstr("token 500 at position 1 is outside the vocabulary"));
  Request many = request(3, 5);
  many.choice_count = 1000;
  EXPECT_THAT(refusal(many, ErrorKind::invalid_argument), HasSubstr("n: found 1000"));
}

TEST_F(SchedulerTest, OptionsThatContradictAreRefused) {
  SchedulerOptions options = small();
  options.max_batch_tokens = 3;
  EXPECT_THROW(start(options), Error);
  options = small();
  options.order = "alphabetic";
  EXPECT_THROW(start(options), Error);
}

TEST_F(SchedulerTest, StopTokensEndTokensAndObserversEndASequence) {
  start(small());
  const Request plain = request(10, 20, 3);
  std::vector<TokenId> all = plain.prompt;
  for (int i = 0; i < 6; ++i) {
    all.push_back(CountingExecutor::next_token(all, 0, 0, kVocabulary));
  }
  const TokenId sixth = all.back();

  Recorder stopped, ended, ignoring, by_string, patient;
  Request r = plain;
  r.observer = &stopped;
  r.stop_tokens = {sixth};
  submit(r);
  r = plain;
  r.observer = &ended;
  r.end_tokens = {sixth};
  submit(r);
  r.observer = &ignoring;
  r.sampling.ignore_eos = true;
  submit(r);
  r = plain;
  r.observer = &by_string;
  by_string.stop_at = 3;
  submit(r);
  r = plain;
  r.observer = &patient;
  r.stop_tokens = {sixth};
  r.min_tokens = 6;
  submit(r);
  while (!step().empty()) {
  }
  EXPECT_EQ(stopped.tokens.size(), 6u);
  EXPECT_EQ(stopped.finished.at(0).reason, FinishReason::stop);
  EXPECT_EQ(ended.tokens.size(), 6u);
  EXPECT_EQ(ignoring.tokens.size(), 20u);
  EXPECT_EQ(ignoring.finished.at(0).reason, FinishReason::length);
  EXPECT_EQ(by_string.tokens.size(), 4u);
  EXPECT_EQ(by_string.finished.at(0).reason, FinishReason::stop);
  EXPECT_GT(patient.tokens.size(), 6u);
}

TEST_F(SchedulerTest, ARequestWithSeveralChoicesFinishesOnce) {
  start(small());
  struct Choices final : RequestObserver {
    Next on_token(const TokenEvent& event) override {
      tokens[event.choice].push_back(event.token);
      return Next::go_on;
    }
    void on_finished(const FinishedEvent& event) override {
      ++finished;
      last += event.last ? 1 : 0;
    }
    std::map<int, std::vector<TokenId>> tokens;
    int finished = 0;
    int last = 0;
  } choices;
  Request r = request(10, 5);
  r.choice_count = 6;  // more than run at a time
  r.observer = &choices;
  submit(r);
  while (!step().empty()) {
  }
  EXPECT_EQ(choices.finished, 6);
  EXPECT_EQ(choices.last, 1);
  EXPECT_EQ(choices.tokens.size(), 6u);
  EXPECT_NE(choices.tokens[0], choices.tokens[5]);
  for (const auto& [choice, tokens] : choices.tokens) EXPECT_EQ(tokens.size(), 5u);
}

TEST_F(SchedulerTest, CancellingFreesEverythingInEveryState) {
  SchedulerOptions options = small();
  options.max_sequences = 2;
  start(options);
  std::vector<Recorder> recorders(3);
  std::vector<RequestId> ids;
  for (int i = 0; i < 3; ++i) {
    Request r = request(i == 1 ? 60 : 5, 20, 100 * i);
    r.observer = &recorders[static_cast<std::size_t>(i)];
    ids.push_back(submit(std::move(r)));
  }
  step();
  step();  // 0 decodes, 1 is in its prompt, 2 waits
  for (const RequestId id : ids) EXPECT_TRUE(scheduler_->cancel(id));
  EXPECT_FALSE(scheduler_->cancel(ids[0]));
  EXPECT_EQ(cache_->owned_pages(), 0);
  EXPECT_EQ(scheduler_->check_integrity(), "");
  EXPECT_TRUE(step().empty());
  for (const Recorder& recorder : recorders) {
    ASSERT_EQ(recorder.finished.size(), 1u);
    EXPECT_EQ(recorder.finished[0].reason, FinishReason::cancelled);
  }
}

TEST_F(SchedulerTest, ADeadlineEndsARequest) {
  start(small());
  Recorder recorder;
  Request r = request(5, 50);
  r.deadline = base::TimePoint{10};
  r.observer = &recorder;
  submit(r);
  step(0);
  step(9);
  EXPECT_TRUE(recorder.finished.empty());
  step(10);
  ASSERT_EQ(recorder.finished.size(), 1u);
  EXPECT_EQ(recorder.finished[0].reason, FinishReason::deadline);
  EXPECT_EQ(cache_->owned_pages(), 0);
}

TEST_F(SchedulerTest, LogitRowsOfAPromptAreBounded) {
  start(small());
  Request r = request(60, 0);
  r.logits_from = 40;
  submit(r);
  EXPECT_THAT(step(), ElementsAre(32));
  EXPECT_EQ(plan_.logit_row_count, 0);
  EXPECT_THAT(step(), ElementsAre(16)) << "8 rows without logits and 8 with";
  EXPECT_EQ(plan_.logit_row_count, 8);
  EXPECT_EQ(plan_.sequences[0].logits_from, 40);
  EXPECT_THAT(step(), ElementsAre(8));
  EXPECT_THAT(step(), ElementsAre(4));
  EXPECT_TRUE(step().empty());
}

TEST_F(SchedulerTest, WantedLogitsAreComputedEvenWhereTheCacheHasThePrefix) {
  start(small());
  submit(request(60, 1));
  while (!step().empty()) {
  }
  EXPECT_EQ(cache_->match_prefix(request(80, 0).prompt, 0), 60);
  Recorder recorder;
  Request r = request(80, 0);
  r.logits_from = 0;
  r.observer = &recorder;
  submit(r);
  while (!step().empty()) {
  }
  EXPECT_EQ(recorder.finished.at(0).usage.cached_tokens, 0);
}

TEST_F(SchedulerTest, AConversationGoesOnFromItsCache) {
  start(small());
  Recorder first, second;
  Request r = request(40, 10);
  r.observer = &first;
  submit(r);
  while (!step().empty()) {
  }
  Request turn = request(40, 5);
  turn.prompt.insert(turn.prompt.end(), first.tokens.begin(), first.tokens.end());
  turn.prompt.insert(turn.prompt.end(), {TokenId(1), TokenId(2)});
  turn.observer = &second;
  submit(turn);
  EXPECT_THAT(step(), ElementsAre(3)) << "the last token of the answer was never computed";
  EXPECT_EQ(executor_->fault(), "");
  while (!step().empty()) {
  }
  EXPECT_EQ(second.finished.at(0).usage.cached_tokens, 49);
}

}  // namespace
}  // namespace cairn::schedule
