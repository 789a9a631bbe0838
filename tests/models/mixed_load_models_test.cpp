// The load of src/engine/mixed_load_test.cpp on real models: `make test-models`. Needs the folder
// that CAIRN_MODELS names; takes minutes a model.

#include <cstdlib>

#include "engine/test_mixed_load.h"
#include "tensor/format.h"

namespace cairn::engine {
namespace {

/// Model and KV type.
using ModelCase = std::tuple<std::string, std::string>;

std::string name_of_case(const testing::TestParamInfo<ModelCase>& test) {
  std::string name = std::get<0>(test.param) + "_" + std::get<1>(test.param);
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == '-' || c == '.'; }, '_');
  return name;
}

class MixedLoadsOnModels : public testing::TestWithParam<ModelCase> {};
INSTANTIATE_TEST_SUITE_P(Exact, MixedLoadsOnModels,
                         testing::Combine(testing::Values("smollm2-135m-instruct-q4_1",
                                                          "gemma-3-270m-q4_k_m",
                                                          "qwen2.5-coder-0.5b-instruct-q4_k_m"),
                                          testing::Values("f16", "q8_0")),
                         name_of_case);

TEST_P(MixedLoadsOnModels, GiveTheSameInAnyWay) {
  const auto [name, kv_type] = GetParam();
  const char* const folder = std::getenv("CAIRN_MODELS");
  if (folder == nullptr) GTEST_SKIP() << "CAIRN_MODELS is not set: real models are not here";
  const auto path = std::filesystem::path(folder) / (name + ".gguf");
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not there";

  const base::SystemClock clock;
  const base::Log log(base::LogLevel::off);
  LoadOptions load_options;
  load_options.needs_tokenizer = false;
  EngineOptions options;
  options.key_type = options.value_type = tensor::find_format(kv_type)->dtype;
  const MixedLoad load = MixedLoadMaker(40'000, 900, 64).make(64);
  std::deque<MixedAnswer> expected;
  {
    base::ThreadPool one(1);
    Context context{one, clock, log};
    LoadedModel loaded(path, load_options, context);
    expected = MixedRun(loaded, load, options, mixed_variants().front()).answers();
  }
  base::ThreadPool two(2);
  Context context{two, clock, log};
  LoadedModel loaded(path, load_options, context);
  expect_exact(loaded, load, options, expected);
}

}  // namespace
}  // namespace cairn::engine
