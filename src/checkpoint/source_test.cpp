#include "checkpoint/source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "checkpoint/mapped_checkpoint.h"
#include "checkpoint/test_files.h"

namespace cairn::checkpoint {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::byte kNoData[64] = {};

NamedTensor f32_tensor(const std::string& name, const Shape& shape) {
  NamedTensor tensor;
  tensor.name = name;
  tensor.type = "f32";
  tensor.view = {DType::f32, shape, kNoData};
  return tensor;
}

std::unique_ptr<Checkpoint> checkpoint_of(Origin origin, std::vector<NamedTensor> tensors) {
  MappedCheckpoint::Content content;
  content.origin = origin;
  content.path = "some.model";
  content.tensors = std::move(tensors);
  return std::make_unique<MappedCheckpoint>(std::move(content));
}

std::unique_ptr<Checkpoint> gguf_model() {
  NamedTensor table = f32_tensor("blk.1.table", {3});
  table.problem = "has the type i64, which is not supported";
  table.view.dtype = DType::none;
  return checkpoint_of(Origin::gguf, {f32_tensor("token_embd.weight", {3, 2}),
                                      f32_tensor("blk.1.attn_q.weight", {2, 2}), table});
}

TEST(WeightSource, FindsTensorsByScope) {
  const auto checkpoint = gguf_model();
  const WeightSource source(*checkpoint);
  EXPECT_EQ(source.tensor("token_embd.weight", {kAnySize, 2}).shape, (Shape{3, 2}));
  EXPECT_EQ(source.scope("blk.1").tensor("attn_q.weight", {2, 2}).data, kNoData);
  EXPECT_EQ(source.scope("blk").scope("1").tensor("attn_q.weight", {2, 2}).data, kNoData);
  EXPECT_TRUE(source.scope("blk.1").has("attn_q.weight"));
  EXPECT_FALSE(source.has("attn_q.weight"));
}

TEST(WeightSource, FindsTensorsByTheirHuggingFaceNames) {
  const auto checkpoint = checkpoint_of(
      Origin::hugging_face,
      {f32_tensor("language_model.model.layers.1.self_attn.q_proj.weight", {2, 2}),
       f32_tensor("model.norm.weight", {2}), f32_tensor("model.layers.1.special.weight", {2})});
  const NamePair overrides[] = {{"attn_norm", "special"}};
  const WeightSource source(*checkpoint, overrides);
  EXPECT_EQ(source.scope("blk.1").tensor("attn_q.weight", {2, 2}).shape, (Shape{2, 2}));
  source.tensor("output_norm.weight", {2});
  source.scope("blk.1").tensor("attn_norm.weight", {2});
  source.require_all_used();
}

TEST(WeightSource, SaysWhatIsMissing) {
  const auto gguf = gguf_model();
  expect_error(ErrorKind::corrupt, {"some.model", "\"blk.1.attn_k.weight\" is missing"}, [&] {
    WeightSource(*gguf).scope("blk.1").tensor("attn_k.weight", {2, 2});
  });
  const auto folder = checkpoint_of(Origin::hugging_face, {});
  expect_error(ErrorKind::corrupt,
               {"\"blk.1.attn_k.weight\" (\"model.layers.1.self_attn.k_proj.weight\") is missing"},
               [&] {
                 WeightSource(*folder).scope("blk.1").tensor("attn_k.weight", {2, 2});
               });
  expect_error(ErrorKind::corrupt, {"\"rope_freqs.weight\" is missing"},
               [&] { WeightSource(*folder).tensor("rope_freqs.weight", {2}); });
}

TEST(WeightSource, SaysWhichShapeItExpected) {
  const auto checkpoint = gguf_model();
  const WeightSource source(*checkpoint);
  expect_error(ErrorKind::corrupt,
               {"some.model", "\"token_embd.weight\" has the shape [3, 2], expected [any, 4]"},
               [&] {
                 source.tensor("token_embd.weight", {kAnySize, 4});
               });
  EXPECT_THROW(source.tensor("token_embd.weight", {6}), Error);
  EXPECT_THROW(source.tensor("token_embd.weight", {2, 3}), Error);
  EXPECT_THROW(source.tensor("token_embd.weight", {2, 3, 2}), Error);
}

TEST(WeightSource, DimensionsOfOneInFrontDoNotCount) {
  const auto checkpoint = checkpoint_of(
      Origin::gguf, {f32_tensor("a", {1, 1, 4}), f32_tensor("b", {4}), f32_tensor("c", {1})});
  const WeightSource source(*checkpoint);
  EXPECT_EQ(source.tensor("a", {4}).shape, (Shape{4}));
  EXPECT_EQ(source.tensor("b", {1, 4}).shape, (Shape{1, 4}));
  EXPECT_EQ(source.tensor("b", {kAnySize, 4}).shape, (Shape{1, 4}));
  EXPECT_EQ(source.tensor("c", {1}).shape, (Shape{1}));
  EXPECT_THROW(source.tensor("b", {4, 1}), Error);
}

TEST(WeightSource, RefusesTypesThatNothingComputesWith) {
  const auto checkpoint = gguf_model();
  expect_error(ErrorKind::unsupported, {"some.model", "\"blk.1.table\" has the type i64"},
               [&] { WeightSource(*checkpoint).tensor("blk.1.table", {3}); });
}

TEST(WeightSource, ReportsWhatWasNotThereAndWhatNobodyWanted) {
  const auto checkpoint = gguf_model();
  const WeightSource source(*checkpoint);
  source.tensor("token_embd.weight", {3, 2});
  EXPECT_EQ(source.optional_tensor("output.weight", {3, 2}), std::nullopt);
  const WeightSource::Report report = source.report();
  EXPECT_THAT(report.missing, ElementsAre("output.weight"));
  EXPECT_THAT(report.unused, ElementsAre("blk.1.attn_q.weight", "blk.1.table"));
  expect_error(ErrorKind::unsupported,
               {"some.model", "2 tensors", "\"blk.1.attn_q.weight\", \"blk.1.table\""},
               [&] { source.require_all_used(); });
  const std::string_view ignorable[] = {"blk.1."};
  source.require_all_used(ignorable);
}

TEST(WeightSource, LeavesOutWhatIsKnownToBeNeedless) {
  const auto checkpoint = checkpoint_of(
      Origin::hugging_face, {f32_tensor("model.layers.0.self_attn.rotary_emb.inv_freq", {2}),
                             f32_tensor("vision_tower.patch_embed.weight", {2})});
  EXPECT_THAT(WeightSource(*checkpoint).report().unused, IsEmpty());
}

}  // namespace
}  // namespace cairn::checkpoint
