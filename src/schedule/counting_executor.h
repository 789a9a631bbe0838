#pragma once
// An executor without a model, for tests and the simulator. Its next token is a pure function of
// the sequence's tokens, seed and choice, so a request must give the same tokens in any company.
//
// And it keeps what a real one keeps in KV memory: every slot of a page remembers which prefix was
// written to it (a hash), copies carry that along, and every key that a row would read is compared
// with the prefix it must hold: pages shared by mistake, freed too early, merged wrongly or never
// written are found in the step that reads them.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "cache/page_group.h"
#include "schedule/executor.h"

namespace cairn::schedule {

class CountingExecutor final : public Executor {
 public:
  struct Options {
    std::int32_t page_tokens = 16;
    std::vector<std::int32_t> page_counts;  // by group
    std::int32_t vocabulary = 1;
    std::int32_t max_sequences = 1;
    std::int32_t max_logit_rows = 0;  // 0: no logits
    bool checks_content = true;
  };
  CountingExecutor(std::span<const cache::PageGroup> groups, const Options& options);

  Ticket submit(const StepPlan& plan) override;
  void collect(Ticket ticket, StepResult& result) override;

  /// The token that follows `tokens`.
  static TokenId next_token(std::span<const TokenId> tokens, std::uint64_t seed,
                            std::int32_t choice, std::int32_t vocabulary);
  /// The same, token by token: hashes start at 0.
  static std::uint64_t append(std::uint64_t prefix, TokenId token);
  static TokenId draw(std::uint64_t prefix, std::uint64_t seed, std::int32_t choice,
                      std::int32_t vocabulary);
  /// The first of the "logits" behind a prefix.
  static float logit(std::uint64_t prefix);

  std::int64_t steps() const { return steps_; }
  /// The first read that found something else than it must, or empty.
  const std::string& fault() const { return fault_; }

 private:
  /// What the positions of a sequence must hold; kept from step to step.
  struct Expected {
    SequenceId id{-1};
    std::vector<std::uint64_t> tags;  // by position
    std::uint64_t prefix = 0;         // hash of the tokens of all tags
  };
  struct Group {
    std::int32_t window_tokens = 0;
    std::vector<std::uint64_t> tags;  // [pages, page_tokens]
  };

  Expected& expected_of(const Sequence& sequence);
  void copy_pages();
  void write(std::size_t index);
  void read(std::size_t index);
  void offer_continuations(const Sequence& sequence, TokenScore& score, StepResult& result);
  void give_logits(const SequenceStep& step, std::int32_t first_row);
  std::uint64_t* slots(std::size_t index, std::size_t group, std::int32_t position);
  void report(const SequenceStep& step, std::size_t group, std::int32_t position,
              std::string_view what);

  std::vector<Group> groups_;
  std::vector<Expected> expected_;  // by sequence id, as far as there is room
  std::int32_t page_tokens_;
  std::int32_t vocabulary_;
  bool checks_content_;
  std::vector<float> logits_;  // [max_logit_rows, vocabulary]
  const StepPlan* plan_ = nullptr;
  std::int64_t steps_ = 0;
  std::string fault_;
};

}  // namespace cairn::schedule
