#include "engine/batch_builder.h"

#include <algorithm>

namespace cairn::engine {

BatchBuilder::BatchBuilder(std::span<const cache::PageGroup> groups, const BatchLimits& limits)
    : page_tokens_(limits.page_tokens), groups_(groups.size()), group_rows_(groups.size()) {
  const auto rows = static_cast<std::size_t>(limits.rows);
  tokens_.reserve(rows);
  positions_.reserve(rows);
  logit_rows_.reserve(static_cast<std::size_t>(limits.logit_rows));
  for (std::size_t group = 0; group < groups.size(); ++group) {
    groups_[group].window_tokens = groups[group].state.window_tokens;
    groups_[group].keys.reserve(rows);
    groups_[group].write_slots.reserve(rows);
  }
}

nn::Batch BatchBuilder::build(const schedule::StepPlan& plan) {
  tokens_.clear();
  positions_.clear();
  logit_rows_.clear();
  for (Group& group : groups_) {
    group.keys.clear();
    group.write_slots.clear();
  }
  for (std::size_t index = 0; index < plan.sequences.size(); ++index) {
    add_rows(plan.sequences[index]);
    for (std::size_t group = 0; group < groups_.size(); ++group) {
      add_keys(groups_[group], plan.sequences[index], plan.pages(index, group));
    }
  }
  for (std::size_t group = 0; group < groups_.size(); ++group) {
    group_rows_[group] = {groups_[group].keys, groups_[group].write_slots};
  }
  return {tokens_, positions_, group_rows_, logit_rows_};
}

void BatchBuilder::add_rows(const schedule::SequenceStep& step) {
  for (std::int32_t position = step.first_position; position < step.end_position(); ++position) {
    if (position >= step.logits_from) {
      logit_rows_.push_back(static_cast<std::int32_t>(tokens_.size()));
    }
    tokens_.push_back(step.sequence->tokens[static_cast<std::size_t>(position)]);
    positions_.push_back(position);
  }
}

void BatchBuilder::add_keys(Group& group, const schedule::SequenceStep& step,
                            std::span<const PageId> pages) {
  for (std::int32_t position = step.first_position; position < step.end_position(); ++position) {
    const std::int32_t window = group.window_tokens;
    const std::int32_t first = window == 0 ? 0 : std::max(0, position - window + 1);
    group.keys.push_back({pages.data(), first, position + 1});
    const PageId page = pages[static_cast<std::size_t>(position / page_tokens_)];
    group.write_slots.push_back(std::int64_t{page.value} * page_tokens_ + position % page_tokens_);
  }
}

}  // namespace cairn::engine
