#include "engine/batch_sampler.h"

#include <algorithm>

namespace cairn::engine {
namespace {

constexpr std::size_t kForbiddenTokens = 64;  // more allocate once
constexpr std::size_t kTops = 32;

/// Alternatives that the sequence's scores come with.
std::int32_t top_count(const schedule::Sequence& sequence) {
  if (sequence.live->search != nullptr) return sequence.live->search->candidate_count();
  return std::max(sequence.request->sampling.top_logprobs, 0);
}

}  // namespace

BatchSampler::BatchSampler(base::ThreadPool& threads, std::int64_t vocabulary,
                           std::int64_t context_tokens, std::int32_t max_logit_rows)
    : threads_(threads), vocabulary_(vocabulary) {
  for (int worker = 0; worker < threads.worker_count(); ++worker) {
    workers_.push_back({Sampler(vocabulary, context_tokens), {}, {}});
    workers_.back().forbidden.reserve(kForbiddenTokens);
    workers_.back().tops.reserve(kTops);
  }
  tasks_.reserve(static_cast<std::size_t>(max_logit_rows));
}

void BatchSampler::sample(const schedule::StepPlan& plan, std::span<float> logits,
                          schedule::StepResult& result) {
  tasks_.clear();
  std::int32_t row = 0;
  for (const schedule::SequenceStep& step : plan.sequences) {
    const auto first_score = static_cast<std::int32_t>(result.scores.size());
    const schedule::Sequence& sequence = *step.sequence;
    if (sequence.request->prompt_logprobs) {
      // The logits of a position score the token after it.
      const std::int32_t end = std::min(step.end_position(), sequence.prompt_count() - 1);
      for (std::int32_t position = step.logits_from; position < end; ++position) {
        add_task(step, position, row, false, result);
      }
    }
    if (step.samples) add_task(step, step.end_position() - 1, row, true, result);
    const auto score_count = static_cast<std::int32_t>(result.scores.size()) - first_score;
    result.sequences.push_back({first_score, score_count, row});
    row += step.logit_row_count();
  }
  threads_.run(static_cast<std::int64_t>(tasks_.size()), [&](int worker, std::int64_t task) {
    carry_out(tasks_[static_cast<std::size_t>(task)], logits,
              workers_[static_cast<std::size_t>(worker)], result);
  });
}

void BatchSampler::add_task(const schedule::SequenceStep& step, std::int32_t position,
                            std::int32_t first_row, bool draws, schedule::StepResult& result) {
  schedule::TokenScore score;
  score.position = position + 1;
  if (!draws) score.token = step.sequence->tokens[static_cast<std::size_t>(position) + 1];
  score.first_top = static_cast<std::int32_t>(result.tops.size());
  const std::int32_t tops = top_count(*step.sequence);
  result.tops.resize(result.tops.size() + static_cast<std::size_t>(tops));
  tasks_.push_back({step.sequence, first_row + position - step.logits_from,
                    static_cast<std::int32_t>(result.scores.size()), draws});
  result.scores.push_back(score);
}

void BatchSampler::carry_out(const Task& task, std::span<float> logits, Worker& worker,
                             schedule::StepResult& result) const {
  const auto vocabulary = static_cast<std::size_t>(vocabulary_);
  const std::span<float> row =
      logits.subspan(static_cast<std::size_t>(task.row) * vocabulary, vocabulary);
  schedule::TokenScore& score = result.scores[static_cast<std::size_t>(task.score)];
  worker.tops.clear();
  if (task.draws) {
    const SampledToken sampled = draw(*task.sequence, row, worker);
    score.token = sampled.token;
    score.logprob = sampled.logprob;
  } else {
    score.logprob = worker.sampler.score(row, score.token, top_count(*task.sequence), worker.tops);
  }
  score.top_count = static_cast<std::int32_t>(worker.tops.size());
  std::ranges::copy(worker.tops, result.tops.begin() + score.first_top);
}

SampledToken BatchSampler::draw(const schedule::Sequence& sequence, std::span<float> logits,
                                Worker& worker) {
  const SampleInput input{.logits = logits,
                          .parameters = sequence.request->sampling,
                          .history = sequence.tokens,
                          .forbidden = forbidden_tokens(sequence, worker),
                          .choice_index = static_cast<std::uint32_t>(sequence.choice),
                          .position = static_cast<std::uint32_t>(sequence.token_count())};
  if (sequence.live->search == nullptr) return worker.sampler.sample(input, worker.tops);
  worker.sampler.rank(input, static_cast<std::size_t>(top_count(sequence)), worker.tops);
  if (worker.tops.empty()) return {};
  return {worker.tops.front().token, worker.tops.front().logprob};
}

std::span<const TokenId> BatchSampler::forbidden_tokens(const schedule::Sequence& sequence,
                                                        Worker& worker) {
  const Request& request = *sequence.request;
  const bool too_early = sequence.generated_count() < request.min_tokens;
  if (!too_early) {
    return request.sampling.ignore_eos ? std::span<const TokenId>(request.end_tokens)
                                       : std::span<const TokenId>();
  }
  worker.forbidden.assign(request.end_tokens.begin(), request.end_tokens.end());
  worker.forbidden.insert(worker.forbidden.end(), request.stop_tokens.begin(),
                          request.stop_tokens.end());
  return worker.forbidden;
}

}  // namespace cairn::engine
