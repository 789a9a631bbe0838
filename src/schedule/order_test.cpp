// Who starts first, and how long the prompts' chunks are.

#include "schedule/test_scheduler.h"

namespace cairn::schedule {
namespace {

using ::testing::ElementsAre;

/// One at a time, so that the order is seen.
class OrderTest : public SchedulerTest {
 protected:
  SchedulerOptions one_by_one(std::string order) {
    SchedulerOptions options = small();
    options.max_sequences = 1;
    options.order = std::move(order);
    options.ageing_seconds = 10;
    return options;
  }

  /// Names of requests in the order in which they end.
  struct Named final : RequestObserver {
    Named(char n, std::string& e) : name(n), ended(e) {}
    Next on_token(const TokenEvent&) override { return Next::go_on; }
    void on_finished(const FinishedEvent&) override { ended += name; }
    char name;
    std::string& ended;
  };
  void ask(char name, Request request, double now_seconds) {
    submit(std::move(request), observers_.emplace_back(name, ended_), now_seconds);
  }

  std::string ended_;
  std::deque<Named> observers_;
};

TEST_F(OrderTest, UrgentOnesComeFirstAndWaitingMakesUrgent) {
  start(one_by_one("priority"));
  const auto urgent = [&](int priority, int begin) {
    Request r = request(5, 2, begin);
    r.priority = priority;
    return r;
  };
  ask('a', urgent(0, 0), 0);
  ask('b', urgent(0, 20), 1);
  ask('c', urgent(1, 40), 10.5);  // as if it had come at 0.5
  ask('d', urgent(1, 60), 11.5);  // at 1.5
  ask('e', urgent(2, 80), 19);    // at -1
  ask('f', urgent(-1, 100), 2);
  run();
  EXPECT_EQ(ended_, "eacbdf");
}

TEST_F(OrderTest, LongPrefixesComeFirstAndWaitingMakesUpForThem) {
  start(one_by_one("prefix"));
  ask('a', request(100, 2), 0);
  run();
  ask('b', request(50, 2, 200), 0.1);
  ask('c', request(120, 2), 0.9);  // 100 tokens are there: one second
  ask('d', request(120, 2), 1.4);
  ask('e', request(40, 2, 300), 0.3);
  run();
  EXPECT_EQ(ended_, "acbde") << "c as if it had come at -0.1, d at 0.2 when c has been computed";
}

TEST_F(OrderTest, ShortOnesComeFirstAndWaitingMakesUpForLength) {
  start(one_by_one("shortest"));
  ask('a', request(40, 60), 0);         // as if it came at 1
  ask('b', request(10, 10, 100), 0.9);  // at 1.1
  ask('c', request(10, 10, 200), 0.7);  // at 0.9
  run();
  EXPECT_EQ(ended_, "cab");
}

TEST_F(OrderTest, HitsAreLookedUpAgainWhenTheCacheChanges) {
  SchedulerOptions options = one_by_one("prefix");
  options.max_bypass = 100;
  start(options);
  ask('a', request(100, 2, 100), 0);
  ask('b', request(50, 2, 300), 0.1);
  ask('c', request(120, 2, 100), 0.2);  // nothing is there when it comes
  run();
  EXPECT_EQ(ended_, "acb");
}

TEST_F(OrderTest, AStaticBatchStartsWhenTheLastHasEnded) {
  SchedulerOptions options = small();
  options.order = "static";
  options.max_sequences = 2;
  start(options);
  submit(request(4, 2));
  submit(request(4, 6, 20));
  submit(request(4, 2, 40));
  EXPECT_THAT(step(), ElementsAre(4, 4));
  for (int i = 0; i < 1; ++i) EXPECT_THAT(step(), ElementsAre(1, 1));
  for (int i = 0; i < 4; ++i) EXPECT_THAT(step(), ElementsAre(1));
  EXPECT_THAT(step(), ElementsAre(4));
  run();
}

/// A second for each row.
class SecondsPerRow final : public StepPrice {
 public:
  std::optional<double> seconds(const StepPlan& plan) const override {
    return static_cast<double>(plan.row_count);
  }
};

TEST_F(OrderTest, ChunksAreAsLongAsStreamsCanBear) {
  const SecondsPerRow price;
  price_ = &price;
  SchedulerOptions options = small();
  options.target_itl_seconds = 20;
  start(options);
  submit(request(60, 30));
  EXPECT_THAT(step(), ElementsAre(32)) << "nobody waits for a token";
  EXPECT_THAT(step(), ElementsAre(28));
  submit(request(50, 5, 100));
  EXPECT_THAT(step(), ElementsAre(1, 19));
  submit(request(4, 5, 200));
  EXPECT_THAT(step(), ElementsAre(1, 19));
  EXPECT_THAT(step(), ElementsAre(1, 12, 4));
  run();
}

TEST_F(OrderTest, PromptsNeverStandStill) {
  const SecondsPerRow price;
  price_ = &price;
  SchedulerOptions options = small();
  options.target_itl_seconds = 0.5;  // less than any step takes
  start(options);
  submit(request(10, 30));
  step();
  submit(request(50, 5, 100));
  EXPECT_THAT(step(), ElementsAre(1, 4));
  run();
}

}  // namespace
}  // namespace cairn::schedule
