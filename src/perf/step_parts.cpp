#include "perf/step_parts.h"

#include <algorithm>

#include "cache/page_group.h"

namespace cairn::perf {
namespace {

using backend::OpKind;

/// Handing out work and meeting again, where a model is so small that its bytes take no time.
constexpr double kStepOverheadSeconds = 50e-6;

/// Sum over the positions before `end` of the keys that each sees.
double scores_before(std::int32_t end, std::int32_t window) {
  const auto triangle = [](double count) { return count * (count + 1) / 2; };
  if (window == 0 || end <= window) return triangle(end);
  return triangle(window) + static_cast<double>(end - window) * window;
}

}  // namespace

StepRoofline::StepRoofline(ModelCost& cost, const Rates& rates) {
  cost.step(1, 1, 0);  // one row that sees one key
  const auto of = [&](OpKind kind) { return cost.last_step(kind); };
  backend::Cost layers = of(OpKind::matmul);
  layers += of(OpKind::mlp);
  const backend::Cost head = of(OpKind::output_head);
  const backend::Cost attention = of(OpKind::attention);
  const auto ratio = [](std::int64_t amount, double per_second) {
    return static_cast<double>(amount) / per_second;
  };
  seconds_per_step_ = kStepOverheadSeconds +
                      ratio(layers.weight_bytes + head.weight_bytes, rates.read_bytes_per_second);
  seconds_per_row_ = ratio(layers.flops, rates.int8_operations_per_second);
  seconds_per_logit_row_ = ratio(head.flops, rates.int8_operations_per_second);

  const std::vector<cache::PageGroup> groups = cache::group_layers(cost.model().states());
  std::size_t layer_count = 0;
  for (const cache::PageGroup& group : groups) layer_count += group.layers.size();
  for (const cache::PageGroup& group : groups) {
    const double share =
        static_cast<double>(group.layers.size()) / static_cast<double>(layer_count);
    groups_.push_back({group.state.window_tokens,
                       share * ratio(attention.kv_read_bytes, rates.read_bytes_per_second),
                       share * ratio(attention.flops, rates.f32_operations_per_second)});
  }
}

StepParts StepRoofline::parts(const schedule::StepPlan& plan) const {
  double keys = 0;
  double scores = 0;
  for (const schedule::SequenceStep& step : plan.sequences) {
    for (const Group& group : groups_) {
      const std::int32_t window = group.window_tokens;
      const std::int32_t end = step.end_position();
      const std::int32_t seen = window == 0 ? end : std::min(end, window + step.token_count - 1);
      keys += group.seconds_per_key * seen;
      scores += group.seconds_per_score *
                (scores_before(end, window) - scores_before(step.first_position, window));
    }
  }
  return {seconds_per_step_, seconds_per_row_ * plan.row_count,
          seconds_per_logit_row_ * plan.logit_row_count, keys, scores};
}

}  // namespace cairn::perf
