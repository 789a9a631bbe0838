#include "random_load.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <initializer_list>

#include "base/error.h"
#include "beam_client.h"
#include "cache/page_demand.h"
#include "checked_client.h"

namespace cairn::simulation {
namespace {

/// Steps after which a load that nobody adds to is taken for stuck.
constexpr std::int64_t kMostSteps = 200'000;

template <class T>
T pick(Random& random, std::initializer_list<T> values) {
  return values.begin()[random.below(static_cast<std::int32_t>(values.size()))];
}

schedule::SchedulerOptions draw_scheduler(Random& random, std::int32_t context_tokens) {
  schedule::SchedulerOptions options;
  options.context_tokens = context_tokens;
  options.vocabulary = random.between(2, 30);
  options.max_sequences = random.between(1, 8);
  options.max_waiting = random.between(1, 12);
  options.max_batch_tokens = options.max_sequences + random.below(60);
  options.max_logit_rows = options.max_sequences + random.below(6);
  options.prefill_chunk = random.one_in(3) ? random.between(1, 30) : 0;
  options.target_itl_seconds = random.one_in(3) ? 0.001 * random.between(1, 30) : 0;
  options.max_bypass = random.below(6);
  options.ageing_seconds = random.uniform();
  options.order =
      pick<const char*>(random, {"fcfs", "fcfs", "priority", "prefix", "shortest", "static"});
  return options;
}

/// Pages for less than one whole context to three, so that somebody always lacks some.
std::int32_t draw_page_count(Random& random, const perf::SimulatorOptions& options,
                             std::int32_t window) {
  const schedule::SchedulerOptions& scheduler = options.scheduler;
  const std::int32_t one = cache::pages_needed({1, 1, 1, window}, scheduler.context_tokens,
                                               options.page_tokens, scheduler.max_batch_tokens);
  return random.between(std::max(1, one * 3 / 4), one * 3);
}

}  // namespace

perf::SimulatorOptions RandomLoad::draw_options(Random& random) {
  perf::SimulatorOptions options;
  options.page_tokens = pick<std::int32_t>(random, {4, 4, 8, 16, 16, 32, 64});
  const std::int32_t context = std::min(256, options.page_tokens * random.between(3, 16));
  options.scheduler = draw_scheduler(random, context - random.below(options.page_tokens));
  options.windows = {0};
  if (random.one_in(2)) options.windows.push_back(random.between(1, context / 2));
  if (random.one_in(6)) options.windows.push_back(random.between(1, 3 * options.page_tokens));
  if (random.one_in(8)) options.windows = {random.between(1, context / 2)};
  for (const std::int32_t window : options.windows) {
    options.page_counts.push_back(draw_page_count(random, options, window));
  }
  options.share_prefixes = !random.one_in(5);
  options.price = {0.001, 0.0005 * random.uniform(), 1e-5 * random.uniform()};
  return options;
}

RandomLoad::RandomLoad(std::uint64_t seed)
    : random_(seed),
      options_(draw_options(random_)),
      arrivals_per_mille_(random_.between(20, 500)),
      cancels_per_mille_(random_.below(60)),
      documents_(static_cast<std::size_t>(random_.between(1, 4))),
      simulator_(options_) {
  for (std::vector<TokenId>& document : documents_) {
    for (std::int32_t i = 0; i < options_.scheduler.context_tokens; ++i) {
      document.emplace_back(
          random_.below(static_cast<std::int32_t>(options_.scheduler.vocabulary)));
    }
  }
}

Request RandomLoad::draw_request() {
  const std::int32_t context = options_.scheduler.context_tokens;
  Request request;
  request.prompt = documents_[static_cast<std::size_t>(
      random_.below(static_cast<std::int32_t>(documents_.size())))];
  const std::int32_t longest = random_.one_in(3) ? context : 1 + context / 3;
  request.prompt.resize(static_cast<std::size_t>(random_.between(1, longest)));
  const std::int32_t own = random_.below(20);
  for (std::int32_t i = 0; i < own; ++i) {
    if (request.prompt.size() >= static_cast<std::size_t>(context)) break;
    request.prompt.emplace_back(
        random_.below(static_cast<std::int32_t>(options_.scheduler.vocabulary)));
  }
  const std::int32_t room = context - static_cast<std::int32_t>(request.prompt.size());
  if (!random_.one_in(6)) request.max_tokens = random_.below(std::min(room, 120) + 1);
  if (random_.one_in(5)) request.choice_count = random_.between(2, 4);
  if (random_.one_in(4)) request.logits_from = random_.below(context);
  if (random_.one_in(3)) request.priority = random_.between(-3, 3);
  if (random_.one_in(3)) {
    request.stop_tokens.emplace_back(
        random_.below(static_cast<std::int32_t>(options_.scheduler.vocabulary)));
  }
  if (random_.one_in(4)) request.min_tokens = random_.below(request.max_tokens.value_or(10) + 1);
  if (random_.one_in(8)) {
    request.deadline = simulator_.now();
    request.deadline->nanoseconds += random_.below(80) * 1'000'000;
  }
  request.sampling.seed = static_cast<std::uint64_t>(random_.below(2));
  request.cache_salt = random_.one_in(3) ? 1 : 0;
  return request;
}

std::unique_ptr<LoadClient> RandomLoad::make_client(Request& request) {
  if (random_.one_in(40)) {
    request.logits_from = Request::kNoLogits;
    request.max_tokens = std::min(request.max_tokens.value_or(24), 24);
    schedule::BeamSearchOptions beams;
    beams.width = random_.between(1, std::min(4, options_.scheduler.max_sequences));
    request.choice_count = random_.between(1, beams.width);
    request.beam_search = beams;
    return std::make_unique<BeamClient>(request, options_, client_fault_);
  }
  const std::int32_t stop_index = random_.one_in(6) ? random_.below(20) : -1;
  return std::make_unique<CheckedClient>(
      request, static_cast<std::int32_t>(options_.scheduler.vocabulary),
      options_.scheduler.context_tokens, stop_index, client_fault_);
}

void RandomLoad::come() {
  Request request = draw_request();
  try {
    auto client = make_client(request);
    request.observer = client.get();
    client->set_id(simulator_.core().submit(std::move(request)));
    clients_.push_back(std::move(client));
  } catch (const Error&) {
    // It never fits, or the queue is full.
  }
}

void RandomLoad::cancel_some() {
  for (const auto& client : clients_) {
    if (random_.below(1000) >= cancels_per_mille_) continue;
    client->set_cancelled();
    simulator_.core().cancel(client->id());
  }
}

bool RandomLoad::step() {
  const bool busy = simulator_.step();
  if (busy) ++steps_;
  if (busy) check_plan();
  for (const auto& client : clients_) {
    if (client->cancelled() && !client->done()) report("a cancelled request goes on");
  }
  std::erase_if(clients_, [](const auto& client) { return client->done(); });
  report(client_fault_);
  report(simulator_.check());
  return busy;
}

void RandomLoad::check_plan() {
  const schedule::StepPlan& plan = simulator_.last_plan();
  const schedule::SchedulerOptions& limits = options_.scheduler;
  std::int32_t rows = 0;
  std::int32_t logit_rows = 0;
  bool prompts = false;
  for (const schedule::SequenceStep& step : plan.sequences) {
    rows += step.token_count;
    logit_rows += step.logit_row_count();
    if (step.token_count < 1 || step.logit_row_count() < 0) report("a sequence without rows");
    if (prompts && step.token_count == 1) report("a decode stands behind a prompt");
    prompts |= step.token_count > 1;
    if (limits.prefill_chunk > 0 && step.token_count > limits.prefill_chunk) {
      report("a chunk is larger than prefill_chunk");
    }
  }
  if (rows != plan.row_count || rows > limits.max_batch_tokens) report("too many rows");
  if (logit_rows != plan.logit_row_count || logit_rows > limits.max_logit_rows) {
    report("too many rows with logits");
  }
  if (plan.sequences.size() > static_cast<std::size_t>(limits.max_sequences)) {
    report("too many sequences");
  }
}

void RandomLoad::report(const std::string& fault) {
  if (fault_.empty() && !fault.empty()) fault_ = fmt::format("step {}: {}", steps_, fault);
}

std::string RandomLoad::run(std::int64_t steps) {
  while (steps_ < steps && fault_.empty()) {
    while (random_.below(1000) < arrivals_per_mille_) come();
    if (random_.one_in(4)) cancel_some();
    if (!step()) come();
  }
  while (fault_.empty() && step()) {
    if (steps_ > steps + kMostSteps) report("the last requests do not end");
  }
  if (!clients_.empty()) report("a request never ended");
  if (simulator_.cache().owned_pages() != 0) report("pages are owned when nothing runs");
  return fault_;
}

std::string RandomLoad::describe() const {
  const schedule::SchedulerOptions& scheduler = options_.scheduler;
  return fmt::format(
      "order {}, context {}, pages of {}: {}, windows {}, sequences {}, batch {}, chunk {}, "
      "bypass {}, share {}",
      scheduler.order, scheduler.context_tokens, options_.page_tokens,
      fmt::join(options_.page_counts, "+"), fmt::join(options_.windows, "+"),
      scheduler.max_sequences, scheduler.max_batch_tokens, scheduler.prefill_chunk,
      scheduler.max_bypass, options_.share_prefixes);
}

}  // namespace cairn::simulation
