// 500 requests on a model with windows, few pages and clients that leave at any time: nothing
// leaks.

#include <gtest/gtest.h>

#include <deque>
#include <random>

#include "base/error.h"
#include "engine/session.h"
#include "models/test_folder.h"

namespace cairn::engine {
namespace {

struct Leaving final : schedule::RequestObserver {
  schedule::Next on_token(const schedule::TokenEvent&) override { return schedule::Next::go_on; }
  void on_finished(const schedule::FinishedEvent& event) override { last = event.last; }
  RequestId id;
  bool last = false;
};

class Crowd {
 public:
  explicit Crowd(Session& session) : session_(session) {}

  void come() {
    std::vector<TokenId> prompt;
    const int count = 1 + below(60);
    const int begin = below(3);
    prompt.reserve(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) prompt.emplace_back((begin + i) % 90);
    Request request = session_.new_request(std::move(prompt));
    request.max_tokens = below(20);
    request.choice_count = below(6) == 0 ? 3 : 1;
    request.logits_from = below(8) == 0 ? below(50) : Request::kNoLogits;
    request.cache_salt = static_cast<std::uint64_t>(below(2));
    Leaving& client = clients_.emplace_back();
    request.observer = &client;
    client.id = session_.submit(std::move(request));
  }
  void leave() {
    const Leaving& client = clients_[static_cast<std::size_t>(below(size()))];
    session_.cancel(client.id);
  }
  int below(int n) { return static_cast<int>(random_() % static_cast<std::uint32_t>(n)); }
  int size() const { return static_cast<int>(clients_.size()); }
  const std::deque<Leaving>& clients() const { return clients_; }

 private:
  Session& session_;
  std::mt19937 random_{1};
  std::deque<Leaving> clients_;
};

TEST(Cancellation, NothingLeaksOnAModel) {
  const models::TestFolder folder("gemma3_text");
  base::ThreadPool threads(2);
  const base::SystemClock clock;
  const base::Log log(base::LogLevel::off);
  Context context{threads, clock, log};
  LoadOptions load;
  load.needs_tokenizer = false;
  LoadedModel loaded(folder.path(), load, context);
  EngineOptions options;
  options.context_tokens = 160;
  options.kv_tokens = 176;
  options.max_sequences = 6;
  options.max_batch_tokens = 64;
  Session session(loaded, options);
  Crowd crowd(session);
  while (crowd.size() < 500) {
    if (crowd.below(4) == 0) crowd.come();
    if (crowd.below(8) == 0 && crowd.size() > 0) crowd.leave();
    session.step();
    ASSERT_EQ(session.check_integrity(), "");
  }
  session.run_until_idle();
  EXPECT_EQ(session.used_pages(), 0);
  EXPECT_EQ(session.check_integrity(), "");
  for (const Leaving& client : crowd.clients()) EXPECT_TRUE(client.last);
  EXPECT_GT(session.statistics().preemptions, 0);
  EXPECT_GT(session.statistics().cached_tokens, 0);
}

}  // namespace
}  // namespace cairn::engine
