#include "schedule/policies/admission.h"

#include <algorithm>

#include "base/error.h"
#include "cache/page_demand.h"

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

void require_beams(const Request& request, const SchedulerOptions& options) {
  const std::int32_t width = request.beam_search->width;
  const std::int32_t most = std::min({kMaxBeams, options.max_sequences, options.max_waiting});
  if (width < 1 || width > most) {
    fail(ErrorKind::invalid_argument,
         "beam_search: found {} beams, expected 1 to {}, with max_sequences {}", width, most,
         options.max_sequences);
  }
  if (request.choice_count > width) {
    fail(ErrorKind::invalid_argument, "n: found {} choices, expected at most the {} beams",
         request.choice_count, width);
  }
  if (request.max_tokens == 0) {
    fail(ErrorKind::invalid_argument, "max_tokens: found 0, expected 1 or more for beams");
  }
  if (request.prompt_logprobs || request.logits_from != Request::kNoLogits) {
    fail(ErrorKind::invalid_argument, "prompt_logprobs and logits cannot be had of beams");
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
                        const cache::PagedCache& cache) {
  require_prompt(request, options);
  require_counts(request, options);
  if (request.beam_search) require_beams(request, options);
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

std::int32_t outstanding_pages(const Sequence& sequence, const cache::PagedCache& cache,
                               std::size_t group) {
  const std::int32_t missing = cache.pages_to_extend(sequence.table, sequence.token_count(), group);
  const cache::PagedState& state = cache.groups()[group].state;
  if (state.window_tokens == 0) return missing;
  // Pages come and go with the window.
  const cache::PagedCacheOptions& options = cache.options();
  const std::int32_t most =
      cache::pages_needed(state, sequence.token_count(), options.page_tokens, options.chunk_tokens);
  const auto pages = cache.pages(sequence.table, group);
  const auto held = std::count_if(pages.begin(), pages.end(),
                                  [](PageId page) { return page != cache::PageTable::kNoPage; });
  const std::int32_t next =
      cache.pages_to_extend(sequence.table, cache.computed_count(sequence.table) + 1, group);
  return std::min(missing, std::max(next, most - static_cast<std::int32_t>(held)));
}

bool may_have_room(const Sequence& sequence, const cache::PagedCache& cache) {
  const std::int32_t page_tokens = cache.options().page_tokens;
  for (std::size_t group = 0; group < cache.groups().size(); ++group) {
    if (cache.groups()[group].state.window_tokens > 0) continue;
    const std::int32_t pages = (sequence.token_count() + page_tokens - 1) / page_tokens;
    if (pages - sequence.hit_count / page_tokens > cache.available(group)) return false;
  }
  return true;
}

bool has_room(const Sequence& sequence, std::span<Sequence* const> running,
              const cache::PagedCache& cache) {
  for (std::size_t group = 0; group < cache.groups().size(); ++group) {
    std::int64_t needed = outstanding_pages(sequence, cache, group);
    for (const Sequence* const other : running) {
      needed += outstanding_pages(*other, cache, group) + 1;
    }
    if (needed > cache.available(group)) return false;
  }
  return true;
}

}  // namespace cairn::schedule
