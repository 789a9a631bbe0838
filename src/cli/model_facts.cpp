#include "cli/model_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/error.h"
#include "engine/chat_template_loader.h"
#include "engine/tokenizer_loader.h"
#include "perf/model_cost.h"

namespace cairn::cli {
namespace {

std::string text_or_empty(const checkpoint::Metadata& metadata, std::string_view key) {
  return metadata.text(key).value_or("");
}

std::vector<FormatShare> share_by_format(const checkpoint::Checkpoint& checkpoint) {
  std::map<std::string, FormatShare> shares;
  for (const checkpoint::NamedTensor& tensor : checkpoint.tensors()) {
    FormatShare& share = shares[tensor.type];
    share.name = tensor.type;
    ++share.tensors;
    share.bytes += static_cast<std::int64_t>(tensor.bytes.size());
  }
  std::vector<FormatShare> sorted;
  for (auto& [name, share] : shares) sorted.push_back(std::move(share));
  std::sort(sorted.begin(), sorted.end(),
            [](const FormatShare& a, const FormatShare& b) { return a.bytes > b.bytes; });
  return sorted;
}

std::string special(const text::Vocabulary& vocabulary, const char* name,
                    const std::optional<TokenId>& token) {
  if (!token) return "";
  return fmt::format(", {} {} '{}'", name, token->value,
                     vocabulary.pieces[static_cast<std::size_t>(token->value)]);
}

void add_text_facts(ModelFacts& facts, const checkpoint::Checkpoint& checkpoint) {
  try {
    const auto tokenizer = engine::load_tokenizer(checkpoint);
    const text::Vocabulary* vocabulary = &tokenizer->vocabulary();
    facts.tokenizer = fmt::format(
        "{}{}, {} tokens{}{}{}", vocabulary->model,
        vocabulary->pre_tokenizer.empty() ? "" : " / " + vocabulary->pre_tokenizer,
        vocabulary->pieces.size(), special(*vocabulary, "bos", vocabulary->bos),
        special(*vocabulary, "eos", vocabulary->eos), vocabulary->add_bos ? ", bos is added" : "");
    for (const text::NamedTemplate& named : engine::load_chat_sources(checkpoint).templates) {
      const bool is_default = named.name == "default";
      if (is_default || facts.chat_template.empty()) facts.chat_template = named.source;
    }
  } catch (const Error& error) {
    facts.tokenizer = "none: " + error.message();
  }
}

}  // namespace

ModelFacts collect_facts(const checkpoint::Checkpoint& checkpoint, const EngineOptions& options) {
  const checkpoint::Metadata& metadata = checkpoint.metadata();
  perf::ModelCost cost(checkpoint, options);
  ModelFacts facts;
  facts.name = text_or_empty(metadata, "general.name");
  facts.license = text_or_empty(metadata, "general.license");
  facts.origin = checkpoint.origin() == checkpoint::Origin::gguf ? "GGUF" : "Hugging Face folder";
  facts.shape = cost.model().shape();
  facts.formats = share_by_format(checkpoint);
  for (const FormatShare& share : facts.formats) {
    facts.tensor_count += share.tensors;
    facts.tensor_bytes += share.bytes;
  }
  facts.kv_bytes_per_token = cost.step(1, 1, 0).kv_written_bytes;
  facts.memory = engine::plan_memory(cost.model(), facts.tensor_bytes, options,
                                     engine::available_memory_bytes());
  facts.memory_text = engine::describe(facts.memory, options);
  add_text_facts(facts, checkpoint);
  return facts;
}

}  // namespace cairn::cli
