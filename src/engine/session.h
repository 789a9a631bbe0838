#pragma once
// A model at work: its KV pages, scheduler and core, stepped by the caller's own thread. The
// commands use it directly; Engine (engine.h) puts a thread behind it.
//
//   LoadedModel loaded(path, {}, context);
//   Session session(loaded, options);        // plans and takes all memory; throws out_of_memory
//   Request request = session.new_request(loaded.tokenizer().encode(text, {}));
//   request.max_tokens = 100;
//   request.observer = &printer;             // on_token, on_logits, on_finished
//   session.submit(std::move(request));      // throws what is wrong with the request
//   while (session.step()) {                 // false: nothing left to do
//     if (interrupted) session.cancel(id);   // on_finished(cancelled) comes in the next step
//   }
//
// Requests that begin with the same tokens share their KV, at the same time or one after the other,
// without doing anything: what is computed stays until its pages are needed, also of finished and
// cancelled ones (Usage::cached_tokens says how much was found). Where KV is short, a request may
// lose its pages for a while and is computed again: it gets the same tokens, later.
//
// submit(), cancel() and cancel_all() are thread-safe; everything else belongs to one thread.

#include <memory>
#include <string>
#include <vector>

#include "engine/engine_options.h"
#include "engine/loaded_model.h"
#include "engine/memory_plan.h"
#include "engine/step_observer.h"
#include "engine/step_times.h"
#include "schedule/request.h"
#include "schedule/scheduler_statistics.h"
#include "schedule/step_price.h"

namespace cairn::engine {

/// What a session may be given from outside; all must outlive it.
struct SessionHooks {
  /// Prices each step and learns what it took; null: nobody knows.
  schedule::StepPrice* price = nullptr;
  /// A decorator around the model's own backend, which computes instead of it; null: none.
  backend::Backend* backend = nullptr;
};

class Session {
 public:
  /// `loaded` must outlive this. context_tokens 0 is chosen here (see options()).
  Session(LoadedModel& loaded, const EngineOptions& options, const SessionHooks& hooks = {});
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// As given, with every 0 resolved: context_tokens, kv_tokens, max_logit_rows.
  const EngineOptions& options() const { return options_; }
  const MemoryPlan& memory() const { return memory_; }

  /// A request with the model's sampling defaults and end tokens; the rest is the caller's.
  Request new_request(std::vector<TokenId> prompt) const;

  /// Queues it for the next step and returns its id (request.id is ignored). Throws
  /// invalid_argument (an empty prompt, a token outside the vocabulary, a prompt or max_tokens
  /// beyond the context), out_of_memory (never fits the KV pages) or unavailable (the queue is
  /// full).
  RequestId submit(Request request);

  /// In any state, known or unknown, finished or not. Its memory is free after the next step.
  void cancel(RequestId id);
  void cancel_all();

  /// One step: takes up what was submitted, computes one batch, tells the observers. False if there
  /// was nothing to do.
  bool step();
  void run_until_idle();

  /// May be null.
  void set_step_observer(StepObserver* observer);

  /// Of the last step; may be read by the step observer.
  const StepTimes& step_times() const;

  /// Forgets the KV that finished sequences left behind.
  void clear_cache();

  /// What the scheduler did so far.
  const schedule::SchedulerStatistics& statistics() const;
  /// Pages in use by running sequences; 0 when idle.
  std::int64_t used_pages() const;
  /// A sentence about what is wrong with the page tables, or empty: never seen unless there is a
  /// bug.
  std::string check_integrity() const;

 private:
  struct Parts;

  LoadedModel& loaded_;
  EngineOptions options_;
  MemoryPlan memory_;
  std::unique_ptr<Parts> parts_;
};

}  // namespace cairn::engine
