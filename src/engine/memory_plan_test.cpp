#include "engine/memory_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "backend/cost/cost_backend.h"
#include "base/error.h"
#include "engine/kv_store.h"
#include "models/registry.h"
#include "models/test_folder.h"

namespace cairn::engine {
namespace {

using models::TestFolder;
using ::testing::HasSubstr;

struct Shapes {
  explicit Shapes(const std::string& family)
      : folder(family),
        checkpoint(checkpoint::open_checkpoint(folder.path())),
        model(models::load_model(*checkpoint, backend)) {}
  TestFolder folder;
  backend::CostBackend backend;
  std::unique_ptr<checkpoint::Checkpoint> checkpoint;
  std::unique_ptr<models::Model> model;
};

constexpr std::int64_t kPlenty = std::int64_t{1} << 40;

TEST(MemoryPlan, CountsKeysAndValuesOfEveryLayer) {
  const Shapes shapes("llama");
  EngineOptions options;
  options.context_tokens = 100;  // 7 pages
  const auto plan = plan_memory(*shapes.model, 1234, options, kPlenty);
  constexpr std::int64_t kRow = TestFolder::kKvHeads * TestFolder::kHeadDim * 2;  // f16
  EXPECT_EQ(plan.kv_bytes, 7 * 16 * kRow * 2 * static_cast<std::int64_t>(TestFolder::kLayers));
  EXPECT_EQ(plan.weight_bytes, 1234);
  EXPECT_EQ(plan.context_tokens, 100);
  EXPECT_GT(plan.activation_bytes, 512 * 64 * 4);
  options.key_type = DType::f32;
  EXPECT_EQ(plan_memory(*shapes.model, 0, options, kPlenty).kv_bytes, plan.kv_bytes * 3 / 2);
}

TEST(MemoryPlan, MemoryForKvIsFilledWithWholePages) {
  const Shapes shapes("llama");
  EngineOptions options;
  options.context_tokens = 100;
  options.kv_tokens = 320;
  const std::int64_t bytes = plan_memory(*shapes.model, 0, options, kPlenty).kv_bytes;
  options.kv_tokens = 0;
  for (const std::int64_t more : {0, 1, 100}) {
    options.kv_memory_bytes = bytes + more;
    EXPECT_EQ(plan_memory(*shapes.model, 0, options, kPlenty).kv_tokens, 320);
  }
  options.kv_memory_bytes = bytes - 1;
  EXPECT_EQ(plan_memory(*shapes.model, 0, options, kPlenty).kv_tokens, 304);
  options.kv_memory_bytes = bytes / 4;
  EXPECT_THROW(plan_memory(*shapes.model, 0, options, kPlenty), Error);
}

TEST(MemoryPlan, QuantizedKvCostsItsBlocks) {
  const Shapes shapes("llama");
  EngineOptions options;
  options.context_tokens = 96;
  const std::int64_t halves = plan_memory(*shapes.model, 0, options, kPlenty).kv_bytes;
  options.key_type = DType::q8_0;
  options.value_type = DType::q4_0;
  EXPECT_EQ(plan_memory(*shapes.model, 0, options, kPlenty).kv_bytes * 128, halves * (34 + 18));
}

TEST(MemoryPlan, AWindowCostsItsWindow) {
  const Shapes shapes("mistral");  // 24 tokens
  EngineOptions options;
  options.max_batch_tokens = 32;
  options.prefix_cache = false;
  options.context_tokens = 256;
  const auto narrow = plan_memory(*shapes.model, 0, options, kPlenty);
  options.context_tokens = 512;
  EXPECT_EQ(plan_memory(*shapes.model, 0, options, kPlenty).kv_bytes, narrow.kv_bytes);
  const auto groups = cache::group_layers(shapes.model->states());
  // 23 older positions and 32 new ones, anywhere, touch at most 5 pages.
  EXPECT_EQ(cache_options(groups, resolved(options)).page_counts.at(0), 5);
}

TEST(MemoryPlan, TheDefaultContextIsTheModelsOrWhatFits) {
  const Shapes shapes("llama");  // 512 tokens
  const EngineOptions options;
  EXPECT_EQ(plan_memory(*shapes.model, 0, options, kPlenty).context_tokens, 512);
  EngineOptions small = options;
  small.context_tokens = 200;
  const MemoryPlan plan = plan_memory(*shapes.model, 0, small, kPlenty);
  const std::int64_t available = plan.total_bytes() * 10 / 9 + 10;
  const MemoryPlan fitted = plan_memory(*shapes.model, 0, options, available);
  EXPECT_EQ(fitted.context_tokens, 208) << "whole pages: 200 tokens take as many";
  EXPECT_NO_THROW(require_fit(fitted, options, available));
}

TEST(MemoryPlan, WhatDoesNotFitIsRefusedWithNumbersAndRemedy) {
  const Shapes shapes("llama");
  EngineOptions options;
  options.context_tokens = 512;
  const MemoryPlan plan = plan_memory(*shapes.model, 5'000'000, options, kPlenty);
  const auto refusal = [&](std::int64_t available) -> std::string {
    try {
      require_fit(plan, options, available);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::out_of_memory);
      return error.message();
    }
    return "accepted";
  };
  EXPECT_EQ(refusal(plan.total_bytes()), "accepted");
  EXPECT_THAT(refusal(plan.total_bytes() - 1), HasSubstr("weights 5.0 MB + KV 0.3 MB"));
  EXPECT_THAT(refusal(plan.total_bytes() - 1), HasSubstr("use a smaller context"));
  EXPECT_THAT(refusal(1'000'000), HasSubstr("1.0 MB are available; use a smaller model"));
}

TEST(MemoryPlan, WeightsQuantizedWhileLoadingAreCountedSo) {
  const Shapes shapes("llama");
  const std::int64_t filed = weight_bytes(*shapes.checkpoint, DType::none);
  const std::int64_t quantized = weight_bytes(*shapes.checkpoint, DType::q8_0);
  EXPECT_NEAR(static_cast<double>(quantized) / static_cast<double>(filed), 34.0 / 128, 0.01);
}

/// A /proc and /sys of our own.
class AvailableMemory : public ::testing::Test {
 protected:
  void SetUp() override {
    root_ = std::filesystem::path(::testing::TempDir()) /
            ::testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::remove_all(root_);
  }
  void TearDown() override { std::filesystem::remove_all(root_); }
  void write(const std::string& path, const std::string& content) {
    std::filesystem::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << content;
  }
  std::filesystem::path root_;
};

TEST_F(AvailableMemory, IsWhatTheSystemSays) {
  write("proc/meminfo", "MemTotal: 100 kB\nMemAvailable:   5000 kB\n");
  EXPECT_EQ(available_memory_bytes(root_), 5000 * 1024);
}

TEST_F(AvailableMemory, IsCutByTheNarrowestCgroup) {
  write("proc/meminfo", "MemAvailable: 5000 kB\n");
  write("proc/self/cgroup", "0::/user/job\n");
  write("sys/fs/cgroup/user/job/memory.max", "max\n");
  write("sys/fs/cgroup/user/job/memory.current", "700\n");
  write("sys/fs/cgroup/user/memory.max", "3000\n");
  write("sys/fs/cgroup/user/memory.current", "2500\n");
  write("sys/fs/cgroup/user/memory.stat", "anon 1\ninactive_file 400\n");
  EXPECT_EQ(available_memory_bytes(root_), 3000 - 2500 + 400);
}

TEST_F(AvailableMemory, KnowsTheOlderCgroups) {
  write("proc/meminfo", "MemAvailable: 5000 kB\n");
  write("proc/self/cgroup", "5:cpu:/x\n4:memory:/not/mounted/here\n");
  write("sys/fs/cgroup/memory/memory.limit_in_bytes", "2000\n");
  write("sys/fs/cgroup/memory/memory.usage_in_bytes", "1500\n");
  EXPECT_EQ(available_memory_bytes(root_), 500);
}

TEST_F(AvailableMemory, IsUnlimitedWhereNothingIsKnown) {
  EXPECT_EQ(available_memory_bytes(root_), std::numeric_limits<std::int64_t>::max());
}

}  // namespace
}  // namespace cairn::engine
