#include "checkpoint/name_map.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cairn::checkpoint {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::string first_name(std::string_view name, std::span<const NamePair> overrides = {}) {
  const auto names = hugging_face_names(name, overrides);
  return names.empty() ? "" : names.front();
}

TEST(NameMap, NamesTheCommonTensors) {
  EXPECT_EQ(first_name("token_embd.weight"), "model.embed_tokens.weight");
  EXPECT_EQ(first_name("output_norm.weight"), "model.norm.weight");
  EXPECT_EQ(first_name("output.weight"), "lm_head.weight");
  EXPECT_EQ(first_name("blk.0.attn_norm.weight"), "model.layers.0.input_layernorm.weight");
  EXPECT_EQ(first_name("blk.12.attn_q.bias"), "model.layers.12.self_attn.q_proj.bias");
  EXPECT_EQ(first_name("blk.3.ffn_norm.weight"), "model.layers.3.post_attention_layernorm.weight");
  EXPECT_EQ(first_name("blk.3.ffn_down.weight"), "model.layers.3.mlp.down_proj.weight");
}

TEST(NameMap, AlsoNamesTheLanguageModelOfAModelOfSeveralMedia) {
  EXPECT_THAT(hugging_face_names("blk.1.attn_k.weight", {}),
              ElementsAre("model.layers.1.self_attn.k_proj.weight",
                          "language_model.model.layers.1.self_attn.k_proj.weight",
                          "model.language_model.layers.1.self_attn.k_proj.weight",
                          "layers.1.self_attn.k_proj.weight"));
  EXPECT_THAT(hugging_face_names("output.weight", {}),
              ElementsAre("lm_head.weight", "language_model.lm_head.weight"));
}

TEST(NameMap, AFamilysOwnPairsComeFirst) {
  const NamePair gemma[] = {{"ffn_norm", "pre_feedforward_layernorm"}};
  EXPECT_EQ(first_name("blk.0.ffn_norm.weight", gemma),
            "model.layers.0.pre_feedforward_layernorm.weight");
  EXPECT_EQ(first_name("blk.0.ffn_up.weight", gemma), "model.layers.0.mlp.up_proj.weight");
}

TEST(NameMap, HasNoNameForWhatOnlyGgufKnows) {
  EXPECT_THAT(hugging_face_names("rope_freqs.weight", {}), IsEmpty());
  EXPECT_THAT(hugging_face_names("blk.0.unheard_of.weight", {}), IsEmpty());
  EXPECT_THAT(hugging_face_names("blk.", {}), IsEmpty());
  EXPECT_THAT(hugging_face_names("", {}), IsEmpty());
}

}  // namespace
}  // namespace cairn::checkpoint
