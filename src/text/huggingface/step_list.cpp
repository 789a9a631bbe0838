#include "text/huggingface/step_list.h"

namespace cairn::text::huggingface {

std::vector<Field> read_steps(const Field& block, std::string_view list) {
  constexpr std::size_t most_steps = 256;
  std::vector<Field> steps;
  std::vector<Field> waiting = {block};  // the next one last
  while (!waiting.empty()) {
    const Field step = waiting.back();
    waiting.pop_back();
    if (step.at("type").text() != "Sequence") {
      steps.push_back(step);
      if (steps.size() > most_steps) block.unsupported("has more than 256 steps");
      continue;
    }
    std::vector<Field> inner;
    for (const Field field : step.at(list).items()) inner.push_back(field);
    waiting.insert(waiting.end(), inner.rbegin(), inner.rend());
  }
  return steps;
}

}  // namespace cairn::text::huggingface
