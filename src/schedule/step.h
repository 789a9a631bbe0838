#pragma once
// What a step will do, what it did. Filled in place and reused, so that a step allocates nothing.

#include <cstdint>
#include <span>
#include <vector>

#include "cache/paged_cache.h"
#include "schedule/sequence.h"

namespace cairn::schedule {

/// The rows of one sequence: tokens[first_position .. first_position + token_count).
struct SequenceStep {
  const Sequence* sequence = nullptr;
  std::int32_t first_position = 0;
  std::int32_t token_count = 0;
  std::int32_t logits_from = 0;  // rows at positions >= this get logits
  bool samples = false;          // the token after the last row is drawn

  std::int32_t end_position() const { return first_position + token_count; }
  std::int32_t logit_row_count() const { return end_position() - logits_from; }
};

struct StepPlan {
  std::vector<cache::PageCopy> copies;          // carried out first, one after the other
  std::vector<SequenceStep> sequences;          // those with one row first, so that decodes lead
  std::vector<std::span<const PageId>> tables;  // [sequences][groups]
  std::size_t group_count = 0;
  std::int32_t row_count = 0;
  std::int32_t decode_row_count = 0;  // rows of sequences whose prompt was computed before
  std::int32_t logit_row_count = 0;

  bool empty() const { return sequences.empty(); }
  /// The page table of a sequence of the plan, by position / page_tokens.
  std::span<const PageId> pages(std::size_t sequence_index, std::size_t group) const {
    return tables[sequence_index * group_count + group];
  }
  void clear() {
    copies.clear();
    sequences.clear();
    tables.clear();
    row_count = decode_row_count = logit_row_count = 0;
  }
};

/// What became known of the token at `position`: drawn, if that is the end of the sequence; else
/// given, and only scored (prompt_logprobs).
struct TokenScore {
  std::int32_t position = 0;
  TokenId token;
  float logprob = 0;
  std::int32_t first_top = 0;  // into StepResult::tops
  std::int32_t top_count = 0;
};

/// Several drawn tokens a sequence are possible: accepted drafts.
struct SequenceResult {
  std::int32_t first_score = 0;  // into StepResult::scores, ascending positions
  std::int32_t score_count = 0;
  std::int32_t first_logit_row = 0;  // into StepResult::logits; rows as SequenceStep asks for
};

struct StepResult {
  std::vector<SequenceResult> sequences;  // as in the plan
  std::vector<TokenScore> scores;
  std::vector<TokenLogprob> tops;
  /// [logit rows, vocabulary], valid until the next submit(). Executors without numbers leave it
  /// empty.
  std::span<const float> logits;
  std::int64_t vocabulary = 0;

  void clear() {
    sequences.clear();
    scores.clear();
    tops.clear();
    logits = {};
  }
};

}  // namespace cairn::schedule
