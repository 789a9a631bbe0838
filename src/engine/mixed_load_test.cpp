// Requests of every kind, run in every way, on random tiny models: the same tokens and the same
// logits, bit for bit. tests/models runs the same load on real models.

#include "engine/test_loaded.h"
#include "engine/test_mixed_load.h"
#include "models/test_folder.h"
#include "tensor/format.h"

namespace cairn::engine {
namespace {

using models::TestFolder;

/// Family and KV type.
using MixedCase = std::tuple<std::string, std::string>;

class MixedLoads : public testing::TestWithParam<MixedCase> {};
INSTANTIATE_TEST_SUITE_P(Exact, MixedLoads,
                         testing::Values(MixedCase("llama", "f16"), MixedCase("llama", "q8_0"),
                                         MixedCase("mistral", "f16"),
                                         MixedCase("gemma3_text", "f16"),
                                         MixedCase("gemma3_text", "q4_0")),
                         [](const auto& test) {
                           return std::get<0>(test.param) + "_" + std::get<1>(test.param);
                         });

TEST_P(MixedLoads, GiveTheSameInAnyWay) {
  const auto [family, kv_type] = GetParam();
  const TestFolder folder(family);
  const MixedLoad load = MixedLoadMaker(TestFolder::kVocabulary, 150, 80).make(40);
  EngineOptions options;
  options.key_type = options.value_type = tensor::find_format(kv_type)->dtype;
  options.max_batch_tokens = 128;
  Loaded single(folder.path(), "cpu", 1);
  const auto expected = MixedRun(single.model, load, options, mixed_variants().front()).answers();
  Loaded loaded(folder.path());
  expect_exact(loaded.model, load, options, expected);
}

}  // namespace
}  // namespace cairn::engine
