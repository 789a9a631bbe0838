#pragma once
// A request taken up: its sequences and how far each has come.

#include <cstdint>
#include <memory>
#include <vector>

#include "cache/cache_manager.h"
#include "schedule/request.h"

namespace cairn::schedule {

enum class SequenceState { waiting, running, finished };

struct LiveRequest;

/// One rule covers prompts, chunks, prefix hits and decoding: computed_count chases tokens.size().
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
  std::int32_t cached_count = 0;    // of the computed ones, those found in the cache
  cache::TableId table;             // valid while running

  std::int64_t arrival_number = 0;  // its place in the queue, kept for life
  base::TimePoint arrival;

  std::int32_t prompt_count() const { return static_cast<std::int32_t>(request->prompt.size()); }
  std::int32_t token_count() const { return static_cast<std::int32_t>(tokens.size()); }
  std::int32_t pending_count() const { return token_count() - planned_count; }
  std::int32_t generated_count() const { return token_count() - prompt_count(); }
  /// Whether it draws tokens at all (scoring does not).
  bool samples() const { return length_limit > prompt_count(); }
  /// The first position whose logits somebody asked for, besides the last one's for drawing.
  std::int32_t logits_from() const { return request->prompt_logprobs ? 0 : request->logits_from; }
};

/// A request and its sequences. Made on the client's thread, so that a step allocates nothing.
struct LiveRequest {
  Request request;
  std::vector<Sequence> sequences;  // by choice; they point here
  std::int32_t unfinished = 0;
};

}  // namespace cairn::schedule
