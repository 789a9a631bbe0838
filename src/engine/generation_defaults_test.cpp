#include "engine/generation_defaults.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace cairn::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Metadata alone.
class FakeCheckpoint final : public checkpoint::Checkpoint {
 public:
  explicit FakeCheckpoint(checkpoint::Origin origin) : origin_(origin) {}
  checkpoint::Metadata& fields() { return metadata_; }

  checkpoint::Origin origin() const override { return origin_; }
  const std::filesystem::path& path() const override { return path_; }
  const checkpoint::Metadata& metadata() const override { return metadata_; }
  std::span<const checkpoint::NamedTensor> tensors() const override { return {}; }
  const checkpoint::NamedTensor* find(std::string_view) const override { return nullptr; }
  void release(std::span<const std::byte>) const override {}

 private:
  checkpoint::Origin origin_;
  std::filesystem::path path_ = "m.gguf";
  checkpoint::Metadata metadata_{"m.gguf"};
};

constexpr std::int64_t kVocabulary = 100;

TEST(GenerationDefaults, AModelThatSaysNothingGetsTheUsualOnes) {
  const FakeCheckpoint checkpoint(checkpoint::Origin::gguf);
  const SamplingParameters parameters = sampling_defaults(checkpoint, kVocabulary);
  EXPECT_FLOAT_EQ(parameters.temperature, 0.8f);
  EXPECT_EQ(parameters.top_k, 40);
}

TEST(GenerationDefaults, WhatIsRecommendedElsewhereYieldsToTheFile) {
  FakeCheckpoint checkpoint(checkpoint::Origin::gguf);
  checkpoint.fields().insert("general.sampling.temp", 0.6);
  SamplingParameters recommended;
  recommended.temperature = 0.2f;
  recommended.top_k = 50;
  const SamplingParameters parameters = sampling_defaults(checkpoint, kVocabulary, recommended);
  EXPECT_FLOAT_EQ(parameters.temperature, 0.6f);
  EXPECT_EQ(parameters.top_k, 50);
}

TEST(GenerationDefaults, AGgufFilesOwnWin) {
  FakeCheckpoint checkpoint(checkpoint::Origin::gguf);
  checkpoint.fields().insert("general.sampling.temp", 0.6);
  checkpoint.fields().insert("general.sampling.top_k", std::int64_t{20});
  checkpoint.fields().insert("general.sampling.penalty_repeat", 1.1);
  checkpoint.fields().insert("general.sampling.penalty_last_n", std::int64_t{-1});
  const SamplingParameters parameters = sampling_defaults(checkpoint, kVocabulary);
  EXPECT_FLOAT_EQ(parameters.temperature, 0.6f);
  EXPECT_EQ(parameters.top_k, 20);
  EXPECT_FLOAT_EQ(parameters.repetition_penalty, 1.1f);
  EXPECT_EQ(parameters.repeat_last_n, -1);
  EXPECT_FLOAT_EQ(parameters.top_p, 0.95f);
}

TEST(GenerationDefaults, SoDoThoseOfAGenerationConfig) {
  FakeCheckpoint checkpoint(checkpoint::Origin::hugging_face);
  checkpoint.fields().insert("generation_config.temperature", 0.7);
  checkpoint.fields().insert("generation_config.top_p", 0.8);
  checkpoint.fields().insert("generation_config.repetition_penalty", 1.05);
  checkpoint.fields().insert("generation_config.eos_token_id", std::vector<std::int64_t>{7, 9});
  const SamplingParameters parameters = sampling_defaults(checkpoint, kVocabulary);
  EXPECT_FLOAT_EQ(parameters.temperature, 0.7f);
  EXPECT_FLOAT_EQ(parameters.top_p, 0.8f);
  EXPECT_EQ(parameters.repeat_last_n, SamplingParameters::kWholeHistory);
  EXPECT_THAT(configured_end_tokens(checkpoint, kVocabulary), ElementsAre(TokenId(7), TokenId(9)));
}

TEST(GenerationDefaults, DoSampleFalseIsGreedy) {
  FakeCheckpoint checkpoint(checkpoint::Origin::hugging_face);
  checkpoint.fields().insert("generation_config.do_sample", false);
  checkpoint.fields().insert("eos_token_id", std::int64_t{3});
  EXPECT_TRUE(sampling_defaults(checkpoint, kVocabulary).greedy());
  EXPECT_THAT(configured_end_tokens(checkpoint, kVocabulary), ElementsAre(TokenId(3)));
}

TEST(GenerationDefaults, WrongValuesAreRefusedByName) {
  const auto refusal = [](const std::string& key, checkpoint::MetadataValue value) -> std::string {
    FakeCheckpoint checkpoint(key.starts_with("general") ? checkpoint::Origin::gguf
                                                         : checkpoint::Origin::hugging_face);
    checkpoint.fields().insert(key, std::move(value));
    try {
      sampling_defaults(checkpoint, kVocabulary);
      configured_end_tokens(checkpoint, kVocabulary);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::corrupt);
      return error.message();
    }
    return "accepted";
  };
  EXPECT_THAT(refusal("general.sampling.top_p", 7.5), HasSubstr("m.gguf"));
  EXPECT_THAT(refusal("general.sampling.top_p", 7.5), HasSubstr("top_p"));
  EXPECT_THAT(refusal("general.sampling.top_k", std::int64_t{1} << 40),
              HasSubstr("general.sampling.top_k"));
  EXPECT_THAT(refusal("general.sampling.temp", std::string("hot")), HasSubstr("m.gguf"));
  EXPECT_THAT(refusal("generation_config.eos_token_id", std::int64_t{100}),
              HasSubstr("found token 100"));
}

}  // namespace
}  // namespace cairn::engine
