#include "engine/session.h"

#include "cache/paged_cache.h"
#include "engine/core.h"
#include "engine/kv_store.h"
#include "engine/model_executor.h"
#include "engine/sampling_validation.h"
#include "schedule/scheduler.h"

namespace cairn::engine {
namespace {

void require_valid(const EngineOptions& options) {
  const auto at_least_one = [](const char* name, std::int64_t value) {
    if (value < 1)
      fail(ErrorKind::invalid_argument, "{}: found {}, expected 1 or more", name, value);
  };
  at_least_one("max_sequences", options.max_sequences);
  at_least_one("max_batch_tokens", options.max_batch_tokens);
  at_least_one("page_tokens", options.page_tokens);
  if (options.page_tokens % backend::kKeyTile != 0) {
    fail(ErrorKind::invalid_argument, "page_tokens: found {}, expected a multiple of {}",
         options.page_tokens, backend::kKeyTile);
  }
  if (options.context_tokens < 0 || options.kv_tokens < 0 || options.prefill_chunk < 0) {
    fail(ErrorKind::invalid_argument,
         "context_tokens {}, kv_tokens {} and prefill_chunk {} must not be negative",
         options.context_tokens, options.kv_tokens, options.prefill_chunk);
  }
  if (options.kv_tokens > 0 && options.kv_tokens < options.context_tokens) {
    fail(ErrorKind::invalid_argument,
         "kv_tokens: found {}, expected at least the {} of one whole context", options.kv_tokens,
         options.context_tokens);
  }
}

schedule::SchedulerOptions scheduler_options(const EngineOptions& options,
                                             std::int64_t vocabulary) {
  schedule::SchedulerOptions result;
  result.context_tokens = options.context_tokens;
  result.vocabulary = vocabulary;
  result.max_sequences = options.max_sequences;
  result.max_waiting = options.max_waiting;
  result.max_batch_tokens = options.max_batch_tokens;
  result.max_logit_rows = options.max_logit_rows;
  result.prefill_chunk = options.prefill_chunk;
  result.target_itl_seconds = options.target_itl_seconds;
  result.order = options.order;
  return result;
}

}  // namespace

/// In the order of who uses whom.
struct Session::Parts {
  Parts(const LoadedModel& loaded, const EngineOptions& options, const SessionHooks& hooks)
      : groups(cache::group_layers(loaded.model().states())),
        cache(groups, cache_options(groups, options)),
        price(hooks.price != nullptr ? *hooks.price : unknown_price),
        scheduler(scheduler_options(options, loaded.model().shape().vocabulary), cache, price),
        kv(loaded.model().states(), groups, cache.options().page_counts, options, loaded.backend()),
        executor({loaded.model(), hooks.backend != nullptr ? *hooks.backend : loaded.backend(),
                  loaded.context(), kv, groups, price},
                 options),
        core({scheduler, executor, price, loaded.context().clock, loaded.context().log}) {}

  std::vector<cache::PageGroup> groups;
  cache::PagedCache cache;
  schedule::UnknownPrice unknown_price;
  schedule::StepPrice& price;
  schedule::Scheduler scheduler;
  KvStore kv;
  ModelExecutor executor;
  Core core;
};

Session::Session(LoadedModel& loaded, const EngineOptions& options, const SessionHooks& hooks)
    : loaded_(loaded), options_(options) {
  require_valid(options_);
  memory_ = plan_memory(loaded.model(), loaded.weight_bytes(), options_, loaded.available_bytes());
  require_fit(memory_, options_, loaded.available_bytes());
  options_.context_tokens = static_cast<std::int32_t>(memory_.context_tokens);
  options_.kv_tokens = memory_.kv_tokens;
  options_ = resolved(options_);
  parts_ = std::make_unique<Parts>(loaded_, options_, hooks);
}

Session::~Session() = default;

Request Session::new_request(std::vector<TokenId> prompt) const {
  Request request;
  request.prompt = std::move(prompt);
  request.sampling = loaded_.sampling_defaults();
  request.end_tokens = loaded_.end_tokens();
  return request;
}

RequestId Session::submit(Request request) {
  SamplingParameters& sampling = request.sampling;
  validate(sampling, loaded_.model().shape().vocabulary);
  if (sampling.dry_multiplier > 0 && sampling.dry_breaker_table == nullptr) {
    sampling.dry_breaker_table = loaded_.breaker_table(sampling.dry_breakers);
  }
  return parts_->core.submit(std::move(request));
}

void Session::cancel(RequestId id) {
  parts_->core.cancel(id);
}

void Session::cancel_all() {
  parts_->core.cancel_all();
}

bool Session::step() {
  return parts_->core.step();
}

void Session::run_until_idle() {
  while (step()) {
  }
}

void Session::set_step_observer(StepObserver* observer) {
  parts_->core.set_step_observer(observer);
}

const StepTimes& Session::step_times() const {
  return parts_->executor.times();
}

void Session::clear_cache() {
  parts_->cache.drop_cached();
}

std::int64_t Session::used_pages() const {
  return parts_->cache.owned_pages();
}

const schedule::SchedulerStatistics& Session::statistics() const {
  return parts_->scheduler.statistics();
}

std::string Session::check_integrity() const {
  return parts_->scheduler.check_integrity();
}

}  // namespace cairn::engine
