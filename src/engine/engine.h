#pragma once
// A Session with a thread of its own: submit from anywhere, observers are called on that thread.
// The thread sleeps while there is nothing to do.

#include <condition_variable>
#include <mutex>
#include <thread>

#include "engine/session.h"

namespace cairn::engine {

class Engine {
 public:
  Engine(LoadedModel& loaded, const EngineOptions& options);
  /// Cancels what still runs, delivers its on_finished, and joins the thread.
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  const EngineOptions& options() const { return session_.options(); }
  const MemoryPlan& memory() const { return session_.memory(); }
  Request new_request(std::vector<TokenId> prompt) const {
    return session_.new_request(std::move(prompt));
  }

  /// As Session's; thread-safe.
  RequestId submit(Request request);
  void cancel(RequestId id);

 private:
  void serve();
  void wake();

  Session session_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool has_work_ = false;
  bool stopping_ = false;
  std::thread thread_;  // last: starts when all else is ready
};

}  // namespace cairn::engine
