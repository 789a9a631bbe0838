#pragma once
// Draws and scores all rows of a step, the rows spread over the threads of a pool. What a row gets
// depends on its own logits, history and key only (sampler.h), not on the thread.

#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "base/thread_pool.h"
#include "engine/sampler.h"
#include "schedule/step.h"

namespace cairn::engine {

class BatchSampler {
 public:
  /// For histories of context_tokens and steps of max_logit_rows; longer ones allocate.
  BatchSampler(base::ThreadPool& threads, std::int64_t vocabulary, std::int64_t context_tokens,
               std::int32_t max_logit_rows);

  /// Appends to result.sequences, .scores and .tops what the plan asks for, in its order. Logit
  /// rows are changed meanwhile and put back.
  void sample(const schedule::StepPlan& plan, std::span<float> logits /*[rows, vocabulary]*/,
              schedule::StepResult& result);

 private:
  /// One row: a token that is drawn (scores[score].token is set then), or a given one.
  struct Task {
    const schedule::Sequence* sequence;
    std::int32_t row;
    std::int32_t score;  // into StepResult::scores
    bool draws;
  };
  struct Worker {
    Sampler sampler;
    std::vector<TokenId> forbidden;
    std::vector<schedule::TokenLogprob> tops;
  };

  void add_task(const schedule::SequenceStep& step, std::int32_t position, std::int32_t first_row,
                bool draws, schedule::StepResult& result);
  void carry_out(const Task& task, std::span<float> logits, Worker& worker,
                 schedule::StepResult& result) const;
  static SampledToken draw(const schedule::Sequence& sequence, std::span<float> logits,
                           Worker& worker);
  static std::span<const TokenId> forbidden_tokens(const schedule::Sequence& sequence,
                                                   Worker& worker);

  base::ThreadPool& threads_;
  std::int64_t vocabulary_;
  std::vector<Worker> workers_;
  std::vector<Task> tasks_;
};

}  // namespace cairn::engine
