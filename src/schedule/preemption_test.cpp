// Pages that do not suffice: who starts, who waits, who loses.

#include <algorithm>

#include "schedule/test_scheduler.h"

namespace cairn::schedule {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// One page group, so that pages are easily counted.
class PreemptionTest : public SchedulerTest {
 protected:
  PreemptionTest() { windows_ = {0}; }
  const SchedulerStatistics& statistics() const { return scheduler_->statistics(); }
};

TEST_F(PreemptionTest, WhoHasTheLeastToLoseGivesItsPagesAndGetsTheSameText) {
  start(small(), /*pages=*/12);
  Recorder first, large, little;
  const Request a = request(30, 100);
  const Request b = request(60, 60, 100);
  const Request c = request(10, 60, 300);
  submit(a, first);
  submit(b, large);
  submit(c, little);
  while (statistics().preemptions == 0) ASSERT_FALSE(step().empty());
  EXPECT_EQ(scheduler_->waiting_count(), 1);
  // The smallest one lost its pages: it gets no more tokens for now.
  const std::size_t had = little.tokens.size();
  step();
  EXPECT_EQ(little.tokens.size(), had);
  run();
  EXPECT_EQ(first.tokens, alone(a));
  EXPECT_EQ(large.tokens, alone(b));
  EXPECT_EQ(little.tokens, alone(c));
  EXPECT_GT(statistics().recomputed_tokens, 0);
}

TEST_F(PreemptionTest, TheFirstNeverLosesItsPages) {
  start(small(), /*pages=*/8);
  std::vector<Recorder> recorders(4);
  for (int i = 0; i < 4; ++i) {
    submit(request(i == 0 ? 6 : 20, 90, 20 * i), recorders[static_cast<std::size_t>(i)]);
  }
  // The first has the least to lose, and gets a token in every step.
  for (int i = 0; i < 90; ++i) step();
  EXPECT_EQ(recorders[0].tokens.size(), 90u);
  EXPECT_GT(statistics().preemptions, 0);
  run();
}

TEST_F(PreemptionTest, UrgentOnesKeepTheirPages) {
  SchedulerOptions options = small();
  options.order = "priority";
  start(options, /*pages=*/8);
  Recorder patient, urgent;
  submit(request(40, 80), patient);
  step();
  Request r = request(10, 90, 100);
  r.priority = 3;
  submit(r, urgent);
  while (urgent.finished.empty()) ASSERT_FALSE(step().empty());
  EXPECT_EQ(statistics().preemptions, 1);
  EXPECT_TRUE(patient.finished.empty()) << "it came first and had to wait";
  run();
  EXPECT_EQ(patient.tokens.size(), 80u);
}

TEST_F(PreemptionTest, AMomentWithoutPagesCostsOnlyWhatOthersTook) {
  start(small(), /*pages=*/13);
  Recorder first, second;
  submit(request(64, 80), first);
  submit(request(64, 80, 100), second);
  while (statistics().preemptions == 0) ASSERT_FALSE(step().empty());
  run();
  // Of the second's pages the first took some from the end; the others were found again.
  EXPECT_GT(statistics().recomputed_tokens, 0);
  EXPECT_LT(statistics().recomputed_tokens, 64);
}

TEST_F(PreemptionTest, CancellingOneThatLostItsPagesEndsIt) {
  start(small(), /*pages=*/8);
  Recorder first, second;
  submit(request(30, 90), first);
  const RequestId id = submit(request(30, 90, 100), second);
  while (statistics().preemptions == 0) ASSERT_FALSE(step().empty());
  EXPECT_TRUE(scheduler_->cancel(id));
  ASSERT_EQ(second.finished.size(), 1u);
  EXPECT_EQ(second.finished[0].reason, FinishReason::cancelled);
  EXPECT_EQ(scheduler_->waiting_count(), 0);
  run();
}

TEST_F(PreemptionTest, ALargeRequestIsPassedOnlySoOften) {
  SchedulerOptions options = small();
  options.max_bypass = 3;
  start(options, /*pages=*/16);
  std::vector<Recorder> recorders(7);
  submit(request(100, 60), recorders[0]);
  step();
  submit(request(150, 5, 200), recorders[1]);  // 10 pages: waits until the first has ended
  for (int i = 2; i < 7; ++i) {
    submit(request(4, 2, 100 + 10 * i), recorders[static_cast<std::size_t>(i)]);
  }
  while (recorders[0].finished.empty()) step();
  const auto passed = std::count_if(recorders.begin() + 2, recorders.end(),
                                    [](const Recorder& r) { return !r.finished.empty(); });
  EXPECT_EQ(passed, 3) << "then the door is closed";
  EXPECT_TRUE(recorders[1].finished.empty());
  run();
  for (const Recorder& recorder : recorders) EXPECT_EQ(recorder.finished.size(), 1u);
}

TEST_F(PreemptionTest, WithoutALimitOnlyAContextThatExceedsThePagesIsRefused) {
  start(small(), /*pages=*/13);  // 208 positions, a context of 200
  Recorder recorder;
  Request endless = request(10, 0);
  endless.max_tokens.reset();
  submit(endless, recorder);
  run();
  EXPECT_EQ(recorder.tokens.size(), 190u);
  start(small(), /*pages=*/12);
  EXPECT_THAT(refusal(endless, ErrorKind::out_of_memory), HasSubstr("200 tokens"));
}

TEST_F(PreemptionTest, ChoicesShareThePagesOfThePrompt) {
  for (const bool share : {true, false}) {
    share_prefixes_ = share;
    start(small());
    Request r = request(100, 3);
    r.choice_count = 4;
    submit(r);
    EXPECT_THAT(step(), ElementsAre(32));
    EXPECT_THAT(step(), ElementsAre(32));
    EXPECT_THAT(step(), ElementsAre(32));
    EXPECT_THAT(step(), ElementsAre(4));
    EXPECT_EQ(scheduler_->running_count(), 4);
    // The others compute the last token of the prompt; each writes a page of its own.
    EXPECT_THAT(step(), ElementsAre(1, 1, 1, 1));
    EXPECT_EQ(cache_->owned_pages(), 6 + 4);
    run();
    EXPECT_EQ(statistics().cached_tokens, 3 * 99);
    EXPECT_EQ(statistics().recomputed_tokens, 0);
  }
}

TEST_F(PreemptionTest, AFaultIsRecoveredFrom) {
  start(small());
  std::vector<Recorder> recorders(3);
  std::vector<Request> requests;
  for (int i = 0; i < 3; ++i) {
    requests.push_back(request(20 + 10 * i, 20, 100 * i));
    submit(requests.back(), recorders[static_cast<std::size_t>(i)]);
  }
  for (int i = 0; i < 5; ++i) step();
  // A table that nobody knows of.
  ASSERT_TRUE(cache_->open(requests[0].prompt, 7).has_value());
  EXPECT_THAT(scheduler_->check_integrity(), HasSubstr("3 sequences run, 4 have pages"));
  scheduler_->recover();
  EXPECT_EQ(scheduler_->check_integrity(), "");
  EXPECT_EQ(scheduler_->waiting_count(), 3);
  run();
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(recorders[i].tokens, alone(requests[i]));
  EXPECT_EQ(statistics().faults, 1);
}

}  // namespace
}  // namespace cairn::schedule
