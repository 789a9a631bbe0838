#include "cli/answer_statistics.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/paths.h"
#include "cli/units.h"
#include "perf/machine.h"
#include "perf/model_cost.h"

namespace cairn::cli {
namespace {

// A decode step in the middle of the answer.
std::int64_t bytes_per_token(const AnswerTimes& times, const engine::LoadedModel& loaded,
                             const EngineOptions& options) {
  const std::int32_t middle = times.usage.prompt_tokens + times.usage.generated_tokens / 2;
  perf::ModelCost cost(loaded.checkpoint(), options);
  return cost.step(1, 1, middle).bytes();
}

std::string prompt_part(const AnswerTimes& times) {
  const schedule::Usage& usage = times.usage;
  const std::string cached =
      usage.cached_tokens > 0 ? fmt::format(" ({} cached)", usage.cached_tokens) : "";
  if (usage.generated_tokens == 0) {
    return fmt::format("{} prompt tokens{}, no answer", usage.prompt_tokens, cached);
  }
  const int computed = usage.prompt_tokens - usage.cached_tokens;
  return fmt::format("{} prompt tokens{}, first token after {} ({:.0f} tok/s)", usage.prompt_tokens,
                     cached, seconds_text(times.first_token_seconds()),
                     computed / std::max(1e-9, times.first_token_seconds()));
}

}  // namespace

std::string statistics_line(const AnswerTimes& times, const engine::LoadedModel& loaded,
                            const EngineOptions& options) {
  std::string line = prompt_part(times);
  const double speed = times.decode_tokens_per_second();
  if (speed <= 0) return line;
  const auto bytes = static_cast<double>(bytes_per_token(times, loaded, options));
  const double bandwidth = perf::best_read_bandwidth(loaded.context(), cache_folder());
  return line + fmt::format(", {} tokens at {:.1f} tok/s, {} read per token: {:.0f} % of {}/s",
                            times.usage.generated_tokens, speed,
                            bytes_text(static_cast<std::int64_t>(bytes)),
                            100 * bytes * speed / bandwidth,
                            bytes_text(static_cast<std::int64_t>(bandwidth)));
}

}  // namespace cairn::cli
