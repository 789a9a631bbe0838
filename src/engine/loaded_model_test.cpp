#include "engine/loaded_model.h"

#include <gtest/gtest.h>

#include "engine/test_folder.h"

namespace cairn::engine {
namespace {

class LoadedModelTest : public FolderTest {
 protected:
  void SetUp() override {
    FolderTest::SetUp();
    for (const char* name : {"config.json", "model.safetensors"}) {
      std::filesystem::copy_file(
          CAIRN_SOURCE_DIR "/tests/cases/models/tiny_llama/" + std::string(name), folder_ / name);
    }
  }

  base::ThreadPool pool_{2};
  base::SystemClock clock_;
  base::Log log_{base::LogLevel::off};
  Context context_{pool_, clock_, log_};
};

TEST_F(LoadedModelTest, WeightsAloneWhereNoTokenizerIsNeeded) {
  LoadOptions options;
  options.needs_tokenizer = false;
  std::int64_t done_bytes = 0;
  std::int64_t all_bytes = 0;
  options.on_progress = [&](std::int64_t done, std::int64_t all) {
    EXPECT_GE(done, done_bytes);
    done_bytes = done;
    all_bytes = all;
  };
  const LoadedModel loaded(folder_, options, context_);
  EXPECT_FALSE(loaded.has_tokenizer());
  EXPECT_GT(all_bytes, 0);
  EXPECT_EQ(done_bytes, all_bytes);
}

// The tokenizer is read beside the weights: whoever is first, its error is the one that is told.
TEST_F(LoadedModelTest, AMissingTokenizerIsTold) {
  for (int round = 0; round < 20; ++round) {
    try {
      const LoadedModel loaded(folder_, {}, context_);
      FAIL() << "loaded without a tokenizer";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::not_found);
      EXPECT_NE(error.message().find("tokenizer"), std::string::npos) << error.message();
    }
  }
}

TEST_F(LoadedModelTest, AMissingWeightIsTold) {
  write("model.safetensors", std::string("\x02\0\0\0\0\0\0\0{}", 10));
  EXPECT_THROW(LoadedModel(folder_, {}, context_), Error);
}

}  // namespace
}  // namespace cairn::engine
