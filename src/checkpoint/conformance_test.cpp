// Real files: tiny models of 43 families, as folders and as GGUF, and vocabulary-only GGUF files.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <vector>

#include "base/error.h"
#include "base/mapped_file.h"
#include "checkpoint/gguf.h"
#include "checkpoint/hyperparameters.h"
#include "checkpoint/name_map.h"
#include "checkpoint/source.h"
#include "tensor/tensor.h"

namespace cairn::checkpoint {
namespace {

namespace fs = std::filesystem;

const fs::path kConformance = CAIRN_SOURCE_DIR "/../shared/conformance";

std::vector<fs::path> sorted_entries(const fs::path& folder) {
  std::vector<fs::path> entries;
  for (const auto& entry : fs::directory_iterator(folder)) entries.push_back(entry.path());
  std::ranges::sort(entries);
  return entries;
}

std::vector<float> values_of(const ConstTensor& tensor) {
  std::vector<float> values(static_cast<std::size_t>(tensor.shape.elements()));
  tensor::decode_to_floats(tensor, values);
  return values;
}

class TinyModels : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(kConformance / "tiny_models")) {
      GTEST_SKIP() << "the conformance data is not at " << kConformance;
    }
  }
};

TEST_F(TinyModels, OpenInBothForms) {
  int folders = 0;
  int ggufs = 0;
  for (const fs::path& folder : sorted_entries(kConformance / "tiny_models")) {
    SCOPED_TRACE(folder.filename().string());
    const auto from_folder = open_checkpoint(folder);
    EXPECT_EQ(from_folder->origin(), Origin::hugging_face);
    EXPECT_GT(from_folder->tensors().size(), 20U);
    EXPECT_EQ(Hyperparameters(*from_folder).integer("embedding_length"), 64);
    ++folders;
    if (!fs::exists(folder / "model.gguf")) continue;
    const auto from_gguf = open_checkpoint(folder / "model.gguf");
    EXPECT_GT(from_gguf->tensors().size(), 20U);
    EXPECT_EQ(Hyperparameters(*from_gguf).integer("embedding_length"), 64);
    ++ggufs;
  }
  EXPECT_GE(folders, 45);
  EXPECT_GE(ggufs, 28);
}

TEST_F(TinyModels, SayTheSameInBothForms) {
  for (const std::string family :
       {"llama", "llama3_rope", "llama_yarn", "llama_tied_mqa", "qwen2", "qwen3", "gemma3"}) {
    const fs::path folder = kConformance / "tiny_models" / family;
    const auto from_folder = open_checkpoint(folder);
    const auto from_gguf = open_checkpoint(folder / "model.gguf");
    const Hyperparameters a(*from_folder);
    const Hyperparameters b(*from_gguf);
    for (const char* name :
         {"context_length", "embedding_length", "block_count", "feed_forward_length",
          "attention.head_count", "attention.head_count_kv", "rope.freq_base", "rope.freq_base_swa",
          "attention.sliding_window"}) {
      EXPECT_EQ(a.number(name), b.number(name)) << family << " " << name;
    }
    EXPECT_NEAR(a.require_number("attention.layer_norm_rms_epsilon"),
                b.require_number("attention.layer_norm_rms_epsilon"), 1e-12);
  }
}

// Families whose converter changes no weight: every tensor must be equal, and none be left over.
TEST_F(TinyModels, HoldTheSameWeightsInBothForms) {
  for (const std::string family : {"qwen2", "qwen3"}) {
    SCOPED_TRACE(family);
    const fs::path folder = kConformance / "tiny_models" / family;
    const auto from_folder = open_checkpoint(folder);
    const auto from_gguf = open_checkpoint(folder / "model.gguf");
    const WeightSource folder_source(*from_folder);
    const WeightSource gguf_source(*from_gguf);
    for (const NamedTensor& tensor : from_gguf->tensors()) {
      const ConstTensor ours = gguf_source.tensor(tensor.name, tensor.view.shape);
      const ConstTensor theirs = folder_source.tensor(tensor.name, tensor.view.shape);
      EXPECT_EQ(values_of(ours), values_of(theirs)) << tensor.name;
    }
    folder_source.require_all_used();
    gguf_source.require_all_used();
  }
}

TEST_F(TinyModels, ReleaseAndReadAgain) {
  const auto checkpoint = open_checkpoint(kConformance / "tiny_models/llama/model.gguf");
  const NamedTensor* tensor = checkpoint->find("token_embd.weight");
  ASSERT_NE(tensor, nullptr);
  const std::vector<float> before = values_of(tensor->view);
  checkpoint->release(tensor->bytes);
  EXPECT_EQ(values_of(tensor->view), before);
}

TEST(VocabularyFiles, OpenWithoutTensors) {
  const fs::path folder = kConformance / "tokenizer";
  if (!fs::exists(folder)) GTEST_SKIP() << "the conformance data is not at " << kConformance;
  int files = 0;
  for (const fs::path& file : sorted_entries(folder)) {
    if (file.extension() != ".gguf") continue;
    const auto checkpoint = open_checkpoint(file);
    EXPECT_TRUE(checkpoint->tensors().empty());
    const auto* tokens = checkpoint->metadata().texts("tokenizer.ggml.tokens");
    ASSERT_NE(tokens, nullptr) << file;
    EXPECT_GT(tokens->size(), 1000U) << file;
    ++files;
  }
  EXPECT_GT(files, 0);
}

TEST(RealModels, OpenWithEveryTensorUsableAndAreRefusedWhenCut) {
  const char* folder = std::getenv("CAIRN_MODELS");
  if (folder == nullptr || !fs::is_directory(folder)) {
    GTEST_SKIP() << "CAIRN_MODELS names no folder with real models";
  }
  int files = 0;
  for (const fs::path& file : sorted_entries(folder)) {
    if (file.extension() != ".gguf") continue;
    const auto checkpoint = open_checkpoint(file);
    EXPECT_GT(checkpoint->tensors().size(), 200U) << file;
    for (const NamedTensor& tensor : checkpoint->tensors()) {
      EXPECT_TRUE(tensor.usable()) << file << ": " << tensor.name << " " << tensor.problem;
    }
    const base::MappedFile mapped(file);
    for (std::size_t tenth = 0; tenth < 10; ++tenth) {
      const auto cut = mapped.bytes().first(mapped.bytes().size() / 10 * tenth);
      EXPECT_THROW(parse_gguf(cut, file.string()), Error) << file << " cut at " << cut.size();
    }
    ++files;
  }
  EXPECT_GT(files, 0);
}

}  // namespace
}  // namespace cairn::checkpoint
