#include "schedule/counting_executor.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "schedule/beam_search.h"

namespace cairn::schedule {
namespace {

std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 31)) * 0x9E3779B97F4A7C15ull;
  x = (x ^ (x >> 29)) * 0xBF58476D1CE4E5B9ull;
  return x ^ (x >> 32);
}

}  // namespace

std::uint64_t CountingExecutor::append(std::uint64_t prefix, TokenId token) {
  return mix(prefix + static_cast<std::uint64_t>(token.value) + 1);
}

TokenId CountingExecutor::draw(std::uint64_t prefix, std::uint64_t seed, std::int32_t choice,
                               std::int32_t vocabulary) {
  const std::uint64_t noise = mix(prefix ^ mix(seed * 31 + static_cast<std::uint64_t>(choice)));
  return TokenId(static_cast<std::int32_t>(noise % static_cast<std::uint64_t>(vocabulary)));
}

float CountingExecutor::logit(std::uint64_t prefix) {
  return static_cast<float>(prefix >> 40);
}

CountingExecutor::CountingExecutor(std::span<const cache::PageGroup> groups, const Options& options)
    : expected_(std::bit_ceil(static_cast<std::size_t>(options.max_sequences) * 4)),
      page_tokens_(options.page_tokens),
      vocabulary_(options.vocabulary),
      checks_content_(options.checks_content),
      logits_(static_cast<std::size_t>(options.max_logit_rows) *
              static_cast<std::size_t>(options.vocabulary)) {
  for (std::size_t group = 0; group < groups.size(); ++group) {
    const auto slot_count = static_cast<std::size_t>(options.page_counts[group]) *
                            static_cast<std::size_t>(page_tokens_);
    groups_.push_back({groups[group].state.window_tokens, std::vector<std::uint64_t>(slot_count)});
  }
}

Ticket CountingExecutor::submit(const StepPlan& plan) {
  plan_ = &plan;
  return Ticket(++steps_);
}

void CountingExecutor::collect(Ticket, StepResult& result) {
  result.clear();
  // As in a model, all keys of a layer are written before the first is read.
  if (checks_content_) {
    copy_pages();
    for (std::size_t index = 0; index < plan_->sequences.size(); ++index) write(index);
    for (std::size_t index = 0; index < plan_->sequences.size(); ++index) read(index);
  }
  std::int32_t logit_row = 0;
  for (const SequenceStep& step : plan_->sequences) {
    const Sequence& sequence = *step.sequence;
    const auto first_score = static_cast<std::int32_t>(result.scores.size());
    if (step.samples) {
      TokenScore score;
      score.position = sequence.token_count();
      score.token = draw(expected_of(sequence).prefix, sequence.request->sampling.seed,
                         sequence.choice, vocabulary_);
      if (sequence.live->search != nullptr) offer_continuations(sequence, score, result);
      result.scores.push_back(score);
    }
    result.sequences.push_back({first_score, step.samples ? 1 : 0, logit_row});
    if (!logits_.empty()) give_logits(step, logit_row);
    logit_row += step.logit_row_count();
  }
  if (logits_.empty()) return;
  const auto vocabulary = static_cast<std::size_t>(vocabulary_);
  result.logits = std::span(logits_).first(static_cast<std::size_t>(logit_row) * vocabulary);
  result.vocabulary = vocabulary_;
}

void CountingExecutor::offer_continuations(const Sequence& sequence, TokenScore& score,
                                           StepResult& result) {
  const std::uint64_t prefix = expected_of(sequence).prefix;
  score.first_top = static_cast<std::int32_t>(result.tops.size());
  for (TokenId token; token.value < vocabulary_; ++token.value) {
    const std::uint64_t noise = append(prefix, token);
    result.tops.push_back({token, -static_cast<float>(noise >> 44) * 0x1p-16f});
  }
  const auto first = result.tops.begin() + score.first_top;
  std::sort(first, result.tops.end(), [](const TokenLogprob& a, const TokenLogprob& b) {
    return a.logprob != b.logprob ? a.logprob > b.logprob : a.token < b.token;
  });
  score.top_count = std::min(vocabulary_, BeamSearch::candidate_count(*sequence.request));
  result.tops.erase(first + score.top_count, result.tops.end());
}

void CountingExecutor::give_logits(const SequenceStep& step, std::int32_t first_row) {
  const std::uint64_t salt = mix(step.sequence->request->cache_salt);
  const std::vector<std::uint64_t>& tags = expected_of(*step.sequence).tags;
  for (std::int32_t position = step.logits_from; position < step.end_position(); ++position) {
    const auto row = static_cast<std::size_t>(first_row + position - step.logits_from);
    logits_[row * static_cast<std::size_t>(vocabulary_)] =
        logit(tags[static_cast<std::size_t>(position)] ^ salt);
  }
}

TokenId CountingExecutor::next_token(std::span<const TokenId> tokens, std::uint64_t seed,
                                     std::int32_t choice, std::int32_t vocabulary) {
  std::uint64_t prefix = 0;
  for (const TokenId token : tokens) prefix = append(prefix, token);
  return draw(prefix, seed, choice, vocabulary);
}

CountingExecutor::Expected& CountingExecutor::expected_of(const Sequence& sequence) {
  const auto place = static_cast<std::size_t>(sequence.id.value) & (expected_.size() - 1);
  Expected& expected = expected_[place];
  // A beam may go on with another's tokens.
  const bool is_beam = sequence.live->search != nullptr;
  if (expected.id != sequence.id || is_beam || expected.tags.size() > sequence.tokens.size()) {
    expected.id = sequence.id;
    expected.tags.clear();
    expected.prefix = 0;
  }
  const std::uint64_t salt = mix(sequence.request->cache_salt);
  while (expected.tags.size() < sequence.tokens.size()) {
    expected.prefix = append(expected.prefix, sequence.tokens[expected.tags.size()]);
    expected.tags.push_back(expected.prefix ^ salt);
  }
  return expected;
}

void CountingExecutor::copy_pages() {
  for (const cache::PageCopy& copy : plan_->copies) {
    std::vector<std::uint64_t>& tags = groups_[static_cast<std::size_t>(copy.group)].tags;
    const auto first = tags.begin() + std::int64_t{copy.from.value} * page_tokens_;
    std::copy(first, first + copy.token_count,
              tags.begin() + std::int64_t{copy.to.value} * page_tokens_);
  }
}

std::uint64_t* CountingExecutor::slots(std::size_t index, std::size_t group,
                                       std::int32_t position) {
  const auto pages = plan_->pages(index, group);
  const auto entry = static_cast<std::size_t>(position / page_tokens_);
  if (entry >= pages.size() || pages[entry].value < 0) return nullptr;
  return groups_[group].tags.data() +
         (std::int64_t{pages[entry].value} * page_tokens_ + position % page_tokens_);
}

void CountingExecutor::write(std::size_t index) {
  const SequenceStep& step = plan_->sequences[index];
  const std::vector<std::uint64_t>& tags = expected_of(*step.sequence).tags;
  for (std::size_t group = 0; group < groups_.size(); ++group) {
    for (std::int32_t position = step.first_position; position < step.end_position(); ++position) {
      std::uint64_t* const slot = slots(index, group, position);
      if (slot == nullptr) return report(step, group, position, "has no page to be written to");
      *slot = tags[static_cast<std::size_t>(position)];
    }
  }
}

void CountingExecutor::read(std::size_t index) {
  const SequenceStep& step = plan_->sequences[index];
  const std::uint64_t* const tags = expected_of(*step.sequence).tags.data();
  for (std::size_t group = 0; group < groups_.size(); ++group) {
    const std::int32_t window = groups_[group].window_tokens;
    // The first row reads furthest back; the others read what it reads and what was written here.
    std::int32_t position = window == 0 ? 0 : std::max(0, step.first_position - window + 1);
    while (position < step.end_position()) {
      const std::int32_t page_end = (position / page_tokens_ + 1) * page_tokens_;
      const std::int32_t end = std::min(page_end, step.end_position());
      const std::uint64_t* const slot = slots(index, group, position);
      if (slot == nullptr) return report(step, group, position, "has no page");
      if (!std::equal(slot, slot + (end - position), tags + position)) {
        report(step, group, position, "or one of the next holds another prefix");
      }
      position = end;
    }
  }
}

void CountingExecutor::report(const SequenceStep& step, std::size_t group, std::int32_t position,
                              std::string_view what) {
  if (!fault_.empty()) return;
  fault_ = fmt::format("step {}, sequence {}, group {}: position {} {}", steps_,
                       step.sequence->id.value, group, position, what);
}

}  // namespace cairn::schedule
