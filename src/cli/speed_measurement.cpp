#include "cli/speed_measurement.h"

#include <algorithm>
#include <utility>

#include "engine/step_observer.h"

namespace cairn::cli {
namespace {

// A decode test begins behind a short prompt even at depth 0.
constexpr std::int32_t kShortPrompt = 16;

// Different tokens in every request, so that none finds another's prefix in the cache.
std::vector<TokenId> made_up_tokens(std::int32_t count, std::int32_t request,
                                    std::int64_t vocabulary) {
  std::vector<TokenId> tokens;
  std::uint64_t state = static_cast<std::uint64_t>(request) + 1;
  for (std::int32_t i = 0; i < count; ++i) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    tokens.emplace_back(
        static_cast<std::int32_t>((state >> 33) % static_cast<std::uint64_t>(vocabulary)));
  }
  return tokens;
}

// Adds up the steps that the test is about.
class Stopwatch final : public engine::StepObserver {
 public:
  Stopwatch(std::int32_t decode_rows, engine::Session& session, StepProfile* profile)
      : decode_rows_(decode_rows), session_(session), profile_(profile) {
    session.set_step_observer(this);
    if (profile_ != nullptr) profile_->discard();
  }

  void on_step(const engine::StepStatistics& statistics) override {
    const bool counts = is_counted(statistics);
    if (profile_ != nullptr) {
      if (counts) profile_->add(statistics, session_.step_times());
      profile_->discard();
    }
    if (!counts) return;
    seconds_ += seconds_between(statistics.started, statistics.ended);
    tokens_ += statistics.rows;
  }
  double tokens_per_second() const {
    return seconds_ > 0 ? static_cast<double>(tokens_) / seconds_ : 0;
  }

 private:
  bool is_counted(const engine::StepStatistics& statistics) {
    if (decode_rows_ == 0) return true;
    if (statistics.rows != decode_rows_ || statistics.decode_rows != decode_rows_) return false;
    return std::exchange(warm_, true);  // the first step of the full batch finds cold caches
  }

  std::int32_t decode_rows_;  // 0: every step counts
  const engine::Session& session_;
  StepProfile* profile_;
  bool warm_ = false;
  double seconds_ = 0;
  std::int64_t tokens_ = 0;
};

Request plain_request(const engine::Session& session, std::vector<TokenId> tokens,
                      std::int32_t generate) {
  Request request = session.new_request(std::move(tokens));
  request.sampling.temperature = 0;
  request.sampling.ignore_eos = true;
  request.max_tokens = generate;
  return request;
}

EngineOptions sized_for(EngineOptions options, const SpeedTest& test) {
  const std::int32_t prompt = test.kind == SpeedTest::Kind::prefill
                                  ? test.depth + test.prompt
                                  : std::max(test.depth, kShortPrompt);
  options.context_tokens = prompt + test.generate + 2;
  options.max_sequences = test.batch;
  options.kv_tokens = std::int64_t{options.context_tokens + options.page_tokens} * test.batch;
  return options;
}

void prefill(engine::Session& session, const SpeedTest& test, std::int64_t vocabulary) {
  for (std::int32_t request = 0; request < test.batch; ++request) {
    session.submit(
        plain_request(session, made_up_tokens(test.depth + test.prompt, request, vocabulary), 0));
  }
  session.run_until_idle();
}

// The context that a prefill test stands on is computed first and left in the prefix cache.
void lay_depth(engine::Session& session, const SpeedTest& test, std::int64_t vocabulary) {
  if (test.depth == 0) return;
  for (std::int32_t request = 0; request < test.batch; ++request) {
    session.submit(plain_request(session, made_up_tokens(test.depth, request, vocabulary), 0));
  }
  session.run_until_idle();
}

void decode(engine::Session& session, const SpeedTest& test, std::int64_t vocabulary) {
  for (std::int32_t request = 0; request < test.batch; ++request) {
    const std::int32_t prompt = std::max(test.depth, kShortPrompt);
    session.submit(
        plain_request(session, made_up_tokens(prompt, request, vocabulary), test.generate + 2));
  }
  session.run_until_idle();
}

}  // namespace

double measure_speed(engine::LoadedModel& loaded, const EngineOptions& options,
                     const SpeedTest& test, StepProfile* profile) {
  const bool is_prefill = test.kind == SpeedTest::Kind::prefill;
  const std::int64_t vocabulary = loaded.model().shape().vocabulary;
  engine::Session session(loaded, sized_for(options, test),
                          {.backend = profile != nullptr ? &profile->backend() : nullptr});
  if (is_prefill) lay_depth(session, test, vocabulary);
  Stopwatch stopwatch(is_prefill ? 0 : test.batch, session, profile);
  if (is_prefill) {
    prefill(session, test, vocabulary);
  } else {
    decode(session, test, vocabulary);
  }
  return stopwatch.tokens_per_second();
}

}  // namespace cairn::cli
