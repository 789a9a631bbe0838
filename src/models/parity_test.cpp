// Tiny models of every family against the logits that Hugging Face transformers computes in f32:
// from the folder and from GGUF, whole and in chunks. The data is not part of the repository; what
// does not need it is in golden_test.cpp.

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <tuple>

#include "checkpoint/checkpoint.h"
#include "models/registry.h"
#include "models/test_backends.h"
#include "models/test_harness.h"
#include "models/test_reference.h"

namespace cairn::models {
namespace {

constexpr float kLargestDifference = 2e-3F;

class Parity : public testing::TestWithParam<std::tuple<std::string, std::string, std::string>> {};

TEST_P(Parity, LogitsAreThoseOfTransformers) {
  const auto& [family, source, backend_name] = GetParam();
  const auto folder = std::filesystem::path(CAIRN_SOURCE_DIR) / "../shared/conformance/tiny_models";
  if (!std::filesystem::exists(folder))
    GTEST_SKIP() << folder << " is missing: nothing to compare with";
  const auto path = source == "gguf" ? folder / family / "model.gguf" : folder / family;
  ASSERT_TRUE(std::filesystem::exists(path)) << path;

  TestBackend backend(backend_name);
  const auto checkpoint = checkpoint::open_checkpoint(path);
  const auto model = load_model(*checkpoint, *backend);
  const TestReference reference(folder / family / "reference.safetensors");
  for (const std::string sequence : {"a", "b"}) {
    const auto tokens = reference.tokens("tokens_" + sequence);
    const auto run = [&](std::size_t chunk) {
      TestHarness harness(*backend, *model, DType::f32, 1,
                          static_cast<std::int32_t>(tokens.size()));
      return harness.run(tokens, chunk);
    };
    const auto whole = run(tokens.size());
    const float difference = largest_difference(whole, reference.floats("logits_" + sequence));
    EXPECT_LT(difference, kLargestDifference) << "sequence " << sequence;
    RecordProperty("largest_difference_" + sequence, std::to_string(difference));
    for (const std::size_t chunk : {1, 7, 32}) {
      EXPECT_TRUE(run(chunk) == whole) << "sequence " << sequence << " in chunks of " << chunk;
    }
  }
}

std::string name_of_case(const testing::TestParamInfo<Parity::ParamType>& info) {
  const auto& [family, source, backend] = info.param;
  return family + "_" + source + "_" + backend;
}

INSTANTIATE_TEST_SUITE_P(Folders, Parity,
                         testing::Combine(testing::Values("llama", "llama3_rope",
                                                          "llama3_rope_v4config", "llama_yarn",
                                                          "llama_tied_mqa", "mistral_swa", "qwen2",
                                                          "qwen3", "gemma3", "gemma3_v4config"),
                                          testing::Values("folder"),
                                          testing::ValuesIn(TestBackend::names())),
                         name_of_case);

INSTANTIATE_TEST_SUITE_P(Files, Parity,
                         testing::Combine(testing::Values("llama", "llama3_rope", "llama_yarn",
                                                          "llama_tied_mqa", "qwen2", "qwen3",
                                                          "gemma3"),
                                          testing::Values("gguf"),
                                          testing::ValuesIn(TestBackend::names())),
                         name_of_case);

}  // namespace
}  // namespace cairn::models
