// What can be checked from the repository alone: a tiny llama against logits from an independent
// program (tools/make_tiny_golden.py), and random models of every family against themselves: alone,
// in company, in chunks, with one thread or two, quantized while loading.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/error.h"
#include "base/random.h"
#include "models/registry.h"
#include "models/test_backends.h"
#include "models/test_folder.h"
#include "models/test_harness.h"
#include "models/test_reference.h"

namespace cairn::models {
namespace {

using testing::HasSubstr;

constexpr std::int32_t kCapacity = 128;

std::vector<TokenId> random_tokens(std::size_t count, std::uint64_t seed) {
  std::vector<TokenId> tokens;
  for (std::size_t i = 0; i < count; ++i) {
    const double draw =
        base::uniform_draw(seed, 1, static_cast<std::uint32_t>(i), base::DrawPurpose::test);
    tokens.emplace_back(static_cast<std::int32_t>(draw * TestFolder::kVocabulary));
  }
  return tokens;
}

/// Logits of `tokens`, run alone by a model and backend made for it.
std::vector<float> run_alone(const std::filesystem::path& path, const std::string& backend_name,
                             const std::vector<TokenId>& tokens, std::size_t chunk, DType kv_type,
                             int workers = 1) {
  TestBackend backend(backend_name, workers);
  const auto checkpoint = checkpoint::open_checkpoint(path);
  const auto model = load_model(*checkpoint, *backend);
  return TestHarness(*backend, *model, kv_type, 1, kCapacity).run(tokens, chunk);
}

class EveryBackend : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Golden, EveryBackend, testing::ValuesIn(TestBackend::names()));

TEST_P(EveryBackend, TinyLlamaGivesTheGoldenLogits) {
  const auto folder = std::filesystem::path(CAIRN_SOURCE_DIR) / "tests/cases/models/tiny_llama";
  const TestReference golden(folder / "reference.safetensors");
  const auto tokens = golden.tokens("tokens");
  const auto logits = run_alone(folder, GetParam(), tokens, tokens.size(), DType::f32);
  EXPECT_LT(largest_difference(logits, golden.floats("logits")), 1e-4F);
}

class EveryFamily : public testing::TestWithParam<std::tuple<std::string, std::string>> {
 protected:
  const std::string backend_ = std::get<1>(GetParam());
  const TestFolder folder_{std::get<0>(GetParam())};
};
INSTANTIATE_TEST_SUITE_P(
    Golden, EveryFamily,
    testing::Combine(testing::Values("llama", "mistral", "qwen2", "qwen3", "gemma3_text"),
                     testing::ValuesIn(TestBackend::names())),
    [](const auto& test) { return std::get<0>(test.param) + "_" + std::get<1>(test.param); });

TEST_P(EveryFamily, IsCloseToTheReference) {
  const auto tokens = random_tokens(50, 1);
  const auto expected = run_alone(folder_.path(), "reference", tokens, 50, DType::f32);
  const auto found = run_alone(folder_.path(), backend_, tokens, 50, DType::f32);
  EXPECT_LT(largest_difference(found, expected), 1e-3F);
}

TEST_P(EveryFamily, ChunksAndThreadsChangeNoBit) {
  const auto tokens = random_tokens(70, 2);
  for (const DType kv_type : {DType::f32, DType::f16}) {
    const auto whole = run_alone(folder_.path(), backend_, tokens, 70, kv_type);
    EXPECT_TRUE(run_alone(folder_.path(), backend_, tokens, 70, kv_type, 2) == whole);
    for (const std::size_t chunk : {1, 3, 16, 33}) {
      EXPECT_TRUE(run_alone(folder_.path(), backend_, tokens, chunk, kv_type) == whole)
          << "chunks of " << chunk;
    }
  }
}

TEST_P(EveryFamily, CompanyChangesNoBit) {
  constexpr std::size_t kStrangers = 8;
  const auto tokens = random_tokens(40, 3);
  const auto alone = run_alone(folder_.path(), backend_, tokens, 40, DType::f16);

  TestBackend backend(backend_, 2);
  const auto checkpoint = checkpoint::open_checkpoint(folder_.path());
  const auto model = load_model(*checkpoint, *backend);
  TestHarness harness(*backend, *model, DType::f16, kStrangers + 1, kCapacity);
  const auto vocabulary = static_cast<std::size_t>(model->shape().vocabulary);
  std::vector<float> in_company;
  for (std::size_t begin = 0; begin < tokens.size(); begin += 5) {
    std::vector<std::vector<TokenId>> strangers;
    for (std::size_t s = 0; s < kStrangers; ++s) {
      strangers.push_back(random_tokens((begin + s) % 4 + 1, 100 + begin + s));
    }
    std::vector<TestRows> parts;
    const std::size_t place = begin % kStrangers;  // rows before it, rows after it
    std::size_t first_row = 0;
    for (std::size_t s = 0; s < kStrangers; ++s) {
      if (s == place) parts.push_back({0, std::span(tokens).subspan(begin, 5)});
      if (s < place) first_row += strangers[s].size();
      parts.push_back({s + 1, strangers[s]});
    }
    const auto logits = harness.step(parts);
    const auto from = logits.begin() + static_cast<std::ptrdiff_t>(first_row * vocabulary);
    in_company.insert(in_company.end(), from, from + static_cast<std::ptrdiff_t>(5 * vocabulary));
  }
  EXPECT_TRUE(in_company == alone);
}

TEST_P(EveryFamily, QuantizesWhileLoading) {
  TestBackend backend(backend_);
  const auto checkpoint = checkpoint::open_checkpoint(folder_.path());
  std::int64_t file_bytes = 0;
  LoadOptions options{.quantize_to = DType::q8_0, .context = &backend.context()};
  options.on_weight = [&](std::int64_t bytes) { file_bytes += bytes; };
  const auto quantized = load_model(*checkpoint, *backend, options);
  EXPECT_GT(file_bytes, 0);
  const auto tokens = random_tokens(30, 4);
  const auto exact = run_alone(folder_.path(), backend_, tokens, 30, DType::f32);
  TestHarness harness(*backend, *quantized, DType::f32, 1, kCapacity);
  const auto rounded = harness.run(tokens, 30);
  EXPECT_LT(largest_difference(rounded, exact), 0.5F);
  EXPECT_FALSE(rounded == exact);
}

TEST(Planning, ThePriceOfQuantizedWeightsIsKnownWithoutEncodingThem) {
  const TestFolder folder("llama");
  const auto checkpoint = checkpoint::open_checkpoint(folder.path());
  const auto price = [&](DType quantize_to) {
    backend::CostBackend cost;
    const auto model = load_model(*checkpoint, cost, {.quantize_to = quantize_to});
    TestHarness(cost, *model, DType::f16, 1, kCapacity).step_cost(cost, random_tokens(1, 7));
    return cost.cost(backend::OpKind::output_head).weight_bytes;
  };
  const auto norm = static_cast<std::int64_t>(TestFolder::kWidth * sizeof(float));
  const auto values = static_cast<std::int64_t>(TestFolder::kVocabulary * TestFolder::kWidth);
  EXPECT_EQ(price(DType::none), values * 4 + norm);
  EXPECT_EQ(price(DType::q8_0), values / 32 * 34 + norm);
}

TEST(Registry, UnknownArchitecturesAreNamedWithTheKnownOnes) {
  const TestFolder folder("llama", {{"model_type", "\"walrus\""}});
  TestBackend backend("reference");
  const auto checkpoint = checkpoint::open_checkpoint(folder.path());
  try {
    load_model(*checkpoint, *backend);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::unsupported);
    EXPECT_THAT(error.message(), HasSubstr("\"walrus\""));
    EXPECT_THAT(error.message(), HasSubstr("gemma3, gemma3_text, llama, mistral, qwen2, qwen3"));
  }
}

/// The form of most published files, and that of transformers 5.
TEST(RopeScaling, BothFormsOfTheConfigMeanTheSameAndChangeTheLogits) {
  const auto tokens = random_tokens(60, 5);
  const auto plain = run_alone(TestFolder("llama").path(), "reference", tokens, 60, DType::f32);
  const std::vector<std::string> scalings{
      R"("factor": 4.0, "TYPE": "linear")",
      R"("factor": 4.0, "original_max_position_embeddings": 32, "TYPE": "yarn")",
      R"("factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
         "original_max_position_embeddings": 32, "TYPE": "llama3")",
  };
  for (const std::string& scaling : scalings) {
    const auto with = [&](const std::string& type_key) {
      std::string text = scaling;
      return text.replace(text.find("TYPE"), 4, type_key);
    };
    const TestFolder old_form("llama", {{"rope_scaling", "{" + with("type") + "}"}});
    const TestFolder new_form(
        "llama", {{"rope_theta", "null"},
                  {"rope_parameters", "{\"rope_theta\": 10000.0, " + with("rope_type") + "}"}});
    const auto old_logits = run_alone(old_form.path(), "reference", tokens, 60, DType::f32);
    EXPECT_TRUE(run_alone(new_form.path(), "reference", tokens, 60, DType::f32) == old_logits)
        << scaling;
    EXPECT_GT(largest_difference(old_logits, plain), 1e-3F) << scaling;
  }
}

TEST(Windows, HideWhatIsOlder) {
  const auto tokens = random_tokens(60, 6);
  const TestFolder narrow("mistral");  // 24 tokens
  const TestFolder open("mistral", {{"sliding_window", "null"}});
  const auto windowed = run_alone(narrow.path(), "reference", tokens, 60, DType::f32);
  const auto full = run_alone(open.path(), "reference", tokens, 60, DType::f32);
  const std::size_t same = 24 * TestFolder::kVocabulary;  // all keys of the first 24 are visible
  EXPECT_TRUE(std::equal(windowed.begin(), windowed.begin() + same, full.begin()));
  EXPECT_FALSE(windowed == full);
}

struct BadConfig {
  const char* key;
  const char* value;
  ErrorKind kind;
  const char* named;  // what the message must contain
};

TEST(Registry, ImpossibleSettingsAreRefusedByName) {
  const std::vector<BadConfig> cases{
      {"num_key_value_heads", "3", ErrorKind::corrupt, "num_key_value_heads"},
      {"num_attention_heads", "0", ErrorKind::corrupt, "num_attention_heads"},
      {"hidden_size", "-32", ErrorKind::corrupt, "hidden_size"},
      {"head_dim", "7", ErrorKind::corrupt, "head_dim"},
      {"num_hidden_layers", "3", ErrorKind::corrupt, "blk.2."},
      {"num_hidden_layers", "1", ErrorKind::unsupported, "layers.1."},
      {"rope_theta", "0", ErrorKind::corrupt, "rope_theta"},
      {"hidden_act", "\"relu\"", ErrorKind::unsupported, "hidden_act"},
      {"rope_scaling", R"({"rope_type": "dynamic", "factor": 2.0})", ErrorKind::unsupported,
       "\"dynamic\""},
  };
  for (const BadConfig& bad : cases) {
    const TestFolder folder("llama", {{bad.key, bad.value}});
    TestBackend backend("reference");
    const auto checkpoint = checkpoint::open_checkpoint(folder.path());
    try {
      load_model(*checkpoint, *backend);
      ADD_FAILURE() << bad.key << " = " << bad.value << " was accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), bad.kind) << error.message();
      EXPECT_THAT(error.message(), HasSubstr(bad.named));
    }
  }
}

TEST(Registry, ShapeIsWhatTheFileSays) {
  const TestFolder folder("qwen3");
  TestBackend backend("reference");
  const auto checkpoint = checkpoint::open_checkpoint(folder.path());
  const auto model = load_model(*checkpoint, *backend);
  EXPECT_EQ(model->shape().architecture, "qwen3");
  EXPECT_EQ(model->shape().vocabulary, TestFolder::kVocabulary);
  EXPECT_EQ(model->shape().layers, 2);
  std::int64_t parameters = 0;
  for (const auto& tensor : checkpoint->tensors()) parameters += tensor.view.shape.elements();
  EXPECT_EQ(model->shape().parameters, parameters);
  EXPECT_EQ(model->states().size(), 2U);
}

}  // namespace
}  // namespace cairn::models
