#include "text/huggingface/splitter.h"

#include <utility>

#include "text/huggingface/step_list.h"

namespace cairn::text::huggingface {

namespace {

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
  const std::vector<Field> blocks = read_steps(block, "pretokenizers");
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
