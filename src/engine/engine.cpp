#include "engine/engine.h"

namespace cairn::engine {

Engine::Engine(LoadedModel& loaded, const EngineOptions& options)
    : session_(loaded, options), thread_([this] { serve(); }) {}

Engine::~Engine() {
  {
    const std::scoped_lock lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

RequestId Engine::submit(Request request) {
  const RequestId id = session_.submit(std::move(request));
  wake();
  return id;
}

void Engine::cancel(RequestId id) {
  session_.cancel(id);
  wake();
}

void Engine::wake() {
  {
    const std::scoped_lock lock(mutex_);
    has_work_ = true;
  }
  changed_.notify_one();
}

void Engine::serve() {
  while (true) {
    if (session_.step()) {
      const std::scoped_lock lock(mutex_);
      if (!stopping_) continue;
    }
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return has_work_ || stopping_; });
    has_work_ = false;
    if (!stopping_) continue;
    lock.unlock();
    session_.cancel_all();
    session_.run_until_idle();
    return;
  }
}

}  // namespace cairn::engine
