#include "schedule/policies/admission.h"

#include <algorithm>

#include "base/error.h"

namespace cairn::schedule {
namespace {

void require_prompt(const Request& request, const SchedulerOptions& options) {
  if (request.prompt.empty()) {
    fail(ErrorKind::invalid_argument, "prompt: found no tokens, expected at least one");
  }
  for (std::size_t index = 0; index < request.prompt.size(); ++index) {
    const std::int32_t token = request.prompt[index].value;
    if (token < 0 || token >= options.vocabulary) {
      fail(ErrorKind::invalid_argument,
           "prompt: token {} at position {} is outside the vocabulary of {} tokens", token, index,
           options.vocabulary);
    }
  }
}

void require_counts(const Request& request, const SchedulerOptions& options) {
  const std::int32_t most = std::min(kMaxChoices, options.max_waiting);
  if (request.choice_count < 1 || request.choice_count > most) {
    fail(ErrorKind::invalid_argument, "n: found {} choices, expected 1 to {}", request.choice_count,
         most);
  }
  if (request.max_tokens && *request.max_tokens < 0) {
    fail(ErrorKind::invalid_argument, "max_tokens: found {}, expected 0 or more",
         *request.max_tokens);
  }
  if (request.min_tokens < 0 || (request.max_tokens && request.min_tokens > *request.max_tokens)) {
    fail(ErrorKind::invalid_argument, "min_tokens: found {}, expected 0 to max_tokens",
         request.min_tokens);
  }
  if (request.logits_from < 0) {
    fail(ErrorKind::invalid_argument, "logits_from: found position {}, expected 0 or more",
         request.logits_from);
  }
}

void require_room(const Request& request, const SchedulerOptions& options) {
  const auto prompt = static_cast<std::int64_t>(request.prompt.size());
  const std::int64_t context = options.context_tokens;
  const bool draws = !request.max_tokens || *request.max_tokens > 0;
  if (prompt > context || (prompt == context && draws)) {
    fail(ErrorKind::invalid_argument,
         "prompt: {} tokens leave no room in the context of {}; use a shorter prompt or a larger "
         "context",
         prompt, context);
  }
  if (prompt + request.max_tokens.value_or(0) > context) {
    fail(ErrorKind::invalid_argument,
         "max_tokens: {} prompt tokens + {} exceed the context of {}; use at most {}, or a larger "
         "context",
         prompt, *request.max_tokens, context, context - prompt);
  }
}

}  // namespace

void require_admissible(const Request& request, const SchedulerOptions& options,
                        const cache::CacheManager& cache) {
  require_prompt(request, options);
  require_counts(request, options);
  require_room(request, options);
  const std::int32_t limit = length_limit(request, options);
  if (!cache.fits(limit)) {
    fail(ErrorKind::out_of_memory,
         "max_tokens: prompt and continuation need KV memory for {} tokens, which is more than "
         "there "
         "is; use fewer tokens or more KV memory",
         limit);
  }
}

std::int32_t length_limit(const Request& request, const SchedulerOptions& options) {
  if (!request.max_tokens) return options.context_tokens;
  return static_cast<std::int32_t>(request.prompt.size()) + *request.max_tokens;
}

std::int32_t promised_tokens(const Sequence& sequence) {
  return sequence.length_limit;
}

}  // namespace cairn::schedule
