#pragma once
// A request taken up: its sequences and how far each has come.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "cache/paged_cache.h"
#include "schedule/beam_search.h"
#include "schedule/request.h"

namespace cairn::schedule {

enum class SequenceState { waiting, running, finished };

struct LiveRequest;

/// One rule covers prompts, chunks, prefix hits, preemption and decoding: computed_count chases
/// tokens.size().
///
///     tokens     [ prompt . . . . . . . . . . . | generated . . ]
///                  computed . . . | in flight . | pending . . .
///                                 ^             ^              ^
///                        computed_count    planned_count   tokens.size()
struct Sequence {
  SequenceId id;
  LiveRequest* live = nullptr;
  const Request* request = nullptr;  // live->request
  std::int32_t choice = 0;
  SequenceState state = SequenceState::waiting;
  FinishReason finish_reason = FinishReason::none;

  std::vector<TokenId> tokens;      // the prompt, then what was drawn; never reallocates
  std::int32_t length_limit = 0;    // tokens.size() at which it is finished
  std::int32_t computed_count = 0;  // positions whose KV stands in the pages, accepted
  std::int32_t planned_count = 0;   // those, and what steps in flight compute
  std::int32_t reached_count = 0;   // the most that computed_count ever was
  std::int32_t cached_count = 0;    // of the prompt, what was there when it first started
  cache::TableId table;             // valid while running

  std::int64_t arrival_number = 0;  // its place in the queue, kept for life
  base::TimePoint arrival;
  double rank = 0;                   // fixed for life: see Order::rank
  double order_key = 0;              // while it waits: see Order::key
  std::int32_t hit_count = 0;        // while it waits: positions in the cache, as last looked up
  std::uint64_t hit_version = 0;     // of the cache, when it was
  std::int32_t bypassed_count = 0;   // others that started before it while it waited for pages
  std::int32_t preempted_count = 0;  // times it lost its pages

  std::int32_t prompt_count() const { return static_cast<std::int32_t>(request->prompt.size()); }
  std::int32_t token_count() const { return static_cast<std::int32_t>(tokens.size()); }
  std::int32_t pending_count() const { return token_count() - planned_count; }
  std::int32_t generated_count() const { return token_count() - prompt_count(); }
  /// Whether it draws tokens at all (scoring does not).
  bool samples() const { return length_limit > prompt_count(); }
  /// The first position whose logits are still wanted, besides the last one's for drawing: what was
  /// computed before has shown them.
  std::int32_t logits_from() const {
    return std::max(reached_count, request->prompt_logprobs ? 0 : request->logits_from);
  }
  /// The tokens that a search for a prefix may see: positions whose logits are wanted are computed,
  /// cached or not.
  std::span<const TokenId> reusable_tokens() const {
    const auto visible = std::min<std::int64_t>(token_count(), std::int64_t{logits_from()} + 1);
    return std::span(tokens).first(static_cast<std::size_t>(visible));
  }
};

/// Who has the smaller rank keeps its pages when they are short; ties go to the earlier arrival.
inline bool outranks(const Sequence& a, const Sequence& b) {
  return a.rank != b.rank ? a.rank < b.rank : a.arrival_number < b.arrival_number;
}

/// A request and its sequences. Made on the client's thread, so that a step allocates nothing.
struct LiveRequest {
  Request request;
  std::vector<Sequence> sequences;  // by choice, or beams; they point here
  std::int32_t unfinished = 0;      // sequences, or the one search

  std::unique_ptr<BeamSearch> search;               // null: no beams
  std::vector<std::vector<TokenId>> parent_tokens;  // of the beams, while they move
};

/// A beam whose continuations are known: it waits for the others.
inline bool is_idle(const Sequence& sequence) {
  const BeamSearch* const search = sequence.live->search.get();
  return search != nullptr && search->has_offered(sequence.choice);
}

}  // namespace cairn::schedule
