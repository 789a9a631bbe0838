#pragma once
// Flattens a StepPlan into the rows that a model computes. Memory is taken once, for the largest
// step.

#include <cstdint>
#include <span>
#include <vector>

#include "cache/page_group.h"
#include "nn/batch.h"
#include "schedule/step.h"

namespace cairn::engine {

struct BatchLimits {
  std::int32_t rows = 0;
  std::int32_t logit_rows = 0;
  std::int32_t page_tokens = 16;
};

class BatchBuilder {
 public:
  BatchBuilder(std::span<const cache::PageGroup> groups, const BatchLimits& limits);

  /// Rows in the plan's order. Points into this and the plan's page tables until the next call.
  nn::Batch build(const schedule::StepPlan& plan);

 private:
  struct Group {
    std::int32_t window_tokens = 0;
    std::vector<backend::KeyList> keys;     // [rows]
    std::vector<std::int64_t> write_slots;  // [rows]
  };
  void add_rows(const schedule::SequenceStep& step);
  void add_keys(Group& group, const schedule::SequenceStep& step, std::span<const PageId> pages);

  std::int32_t page_tokens_;
  std::vector<TokenId> tokens_;          // [rows]
  std::vector<std::int32_t> positions_;  // [rows]
  std::vector<std::int32_t> logit_rows_;
  std::vector<Group> groups_;
  std::vector<nn::GroupRows> group_rows_;  // views of groups_
};

}  // namespace cairn::engine
