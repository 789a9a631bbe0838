#include "text/huggingface/splitter.h"

#include <utility>

namespace cairn::text::huggingface {

namespace {

constexpr std::size_t kMostSteps = 256;

/// The steps of nested sequences in order.
std::vector<Field> flatten(const Field& block) {
  std::vector<Field> steps;
  std::vector<Field> waiting = {block};  // the next one last
  while (!waiting.empty()) {
    const Field step = waiting.back();
    waiting.pop_back();
    if (step.at("type").text() != "Sequence") {
      steps.push_back(step);
      if (steps.size() > kMostSteps) block.unsupported("has more than 256 steps");
      continue;
    }
    std::vector<Field> inner;
    for (const Field field : step.at("pretokenizers").items()) inner.push_back(field);
    waiting.insert(waiting.end(), inner.rbegin(), inner.rend());
  }
  return steps;
}

std::unique_ptr<Splitter> make_splitter(const Field& block) {
  const Field type = block.at("type");
  if (auto splitter = make_character_splitter(block)) return splitter;
  if (type.text() == "Split") return make_pattern_splitter(block);
  if (type.text() == "Metaspace") return make_metaspace_splitter(block);
  if (type.text() == "UnicodeScripts") return make_script_splitter();
  type.unsupported("is no pre-tokenizer that cairn knows");
}

}  // namespace

SplitBehavior read_behavior(const Field& name) {
  const std::string_view text = name.text();
  if (text == "Removed") return SplitBehavior::removed;
  if (text == "Isolated") return SplitBehavior::isolated;
  if (text == "MergedWithPrevious") return SplitBehavior::merged_with_previous;
  if (text == "MergedWithNext") return SplitBehavior::merged_with_next;
  if (text == "Contiguous") return SplitBehavior::contiguous;
  name.refuse("Removed, Isolated, MergedWithPrevious, MergedWithNext or Contiguous");
}

SplitterList read_splitters(const Field& block, bool leave_bytes) {
  SplitterList list;
  const std::vector<Field> blocks = flatten(block);
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    if (blocks[i].at("type").text() != "ByteLevel") {
      list.steps.push_back(make_splitter(blocks[i]));
      continue;
    }
    const bool leaves = leave_bytes && i + 1 == blocks.size();
    list.steps.push_back(make_byte_level_splitter(blocks[i], leaves));
    list.leaves_bytes = leaves;
  }
  return list;
}

}  // namespace cairn::text::huggingface
