#pragma once
// For tests: an executor without a model. Its next token is a pure function of the sequence's
// tokens, seed and choice, so a request must give the same tokens in any company. And it keeps what
// a real one keeps in KV memory: every slot remembers which prefix was written to it, and every key
// that a row would read is compared with the prefix it must hold; a page that two sequences share
// by mistake, or that was freed too early, is found in the step that reads it.

#include <fmt/format.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "cache/page_group.h"
#include "schedule/executor.h"

namespace cairn::schedule {

class FakeExecutor final : public Executor {
 public:
  FakeExecutor(std::vector<cache::PageGroup> groups, std::int32_t page_tokens,
               std::int32_t vocabulary)
      : groups_(std::move(groups)),
        slots_(groups_.size()),
        page_tokens_(page_tokens),
        vocabulary_(vocabulary) {}

  Ticket submit(const StepPlan& plan) override {
    plan_ = &plan;
    return Ticket(++submitted_);
  }

  void collect(Ticket, StepResult& result) override {
    result.clear();
    std::int32_t logit_row = 0;
    for (std::size_t index = 0; index < plan_->sequences.size(); ++index) {
      const SequenceStep& step = plan_->sequences[index];
      write_and_read(step, index);
      const auto first_score = static_cast<std::int32_t>(result.scores.size());
      if (step.samples) result.scores.push_back(draw(*step.sequence));
      result.sequences.push_back({first_score, step.samples ? 1 : 0, logit_row});
      logit_row += step.logit_row_count();
    }
  }

  /// The token that follows `tokens`.
  static TokenId next_token(std::span<const TokenId> tokens, std::uint64_t seed,
                            std::int32_t choice, std::int32_t vocabulary) {
    std::uint64_t hash = mix(seed * 31 + static_cast<std::uint64_t>(choice));
    for (const TokenId token : tokens) hash = extend(hash, token);
    return TokenId(static_cast<std::int32_t>(hash % static_cast<std::uint64_t>(vocabulary)));
  }

  std::int64_t steps() const { return submitted_; }
  /// The first read that found something else than it must, or empty.
  const std::string& fault() const { return fault_; }

 private:
  using Slots =
      std::map<std::int64_t, std::uint64_t>;  // page * page_tokens + offset -> prefix hash

  static std::uint64_t mix(std::uint64_t x) {
    x = (x ^ (x >> 31)) * 0x9E3779B97F4A7C15ull;
    x = (x ^ (x >> 29)) * 0xBF58476D1CE4E5B9ull;
    return x ^ (x >> 32);
  }
  static std::uint64_t extend(std::uint64_t hash, TokenId token) {
    return mix(hash + static_cast<std::uint64_t>(token.value) + 1);
  }

  TokenScore draw(const Sequence& sequence) const {
    TokenScore score;
    score.position = sequence.token_count();
    score.token =
        next_token(sequence.tokens, sequence.request->sampling.seed, sequence.choice, vocabulary_);
    return score;
  }

  void write_and_read(const SequenceStep& step, std::size_t index) {
    const auto& tokens = step.sequence->tokens;
    prefixes_.clear();
    std::uint64_t hash = step.sequence->request->cache_salt;
    for (std::int32_t position = 0; position < step.end_position(); ++position) {
      hash = extend(hash, tokens[static_cast<std::size_t>(position)]);
      prefixes_.push_back(hash);
    }
    for (std::size_t group = 0; group < groups_.size(); ++group) {
      const auto pages = plan_->pages(index, group);
      const std::int32_t window = groups_[group].state.window_tokens;
      // The first row reads furthest back; later rows read what was checked or written here.
      const std::int32_t first = window == 0 ? 0 : std::max(0, step.first_position - window + 1);
      for (std::int32_t position = first; position < step.end_position(); ++position) {
        visit(group, pages, position, position >= step.first_position, step);
      }
    }
  }

  void visit(std::size_t group, std::span<const PageId> pages, std::int32_t position, bool write,
             const SequenceStep& step) {
    const auto entry = static_cast<std::size_t>(position / page_tokens_);
    if (entry >= pages.size() || pages[entry].value < 0) {
      return report(step, group, position, "has no page");
    }
    const std::int64_t slot =
        std::int64_t{pages[entry].value} * page_tokens_ + position % page_tokens_;
    std::uint64_t& content = slots_[group][slot];
    const std::uint64_t expected = prefixes_[static_cast<std::size_t>(position)];
    if (write) content = expected;
    if (content != expected) report(step, group, position, "holds another prefix");
  }

  void report(const SequenceStep& step, std::size_t group, std::int32_t position,
              std::string_view what) {
    if (!fault_.empty()) return;
    fault_ = fmt::format("step {}, sequence {}, group {}: position {} {}", submitted_,
                         step.sequence->id.value, group, position, what);
  }

  std::vector<cache::PageGroup> groups_;
  std::vector<Slots> slots_;  // by group
  std::vector<std::uint64_t> prefixes_;
  std::int32_t page_tokens_;
  std::int32_t vocabulary_;
  const StepPlan* plan_ = nullptr;
  std::int64_t submitted_ = 0;
  std::string fault_;
};

}  // namespace cairn::schedule
