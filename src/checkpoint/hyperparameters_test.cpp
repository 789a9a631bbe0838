#include "checkpoint/hyperparameters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "base/mapped_file.h"
#include "checkpoint/json_fields.h"
#include "checkpoint/mapped_checkpoint.h"
#include "checkpoint/test_files.h"

namespace cairn::checkpoint {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::unique_ptr<Checkpoint> checkpoint_of(Origin origin, Metadata metadata) {
  MappedCheckpoint::Content content;
  content.origin = origin;
  content.path = metadata.source();
  content.metadata = std::move(metadata);
  return std::make_unique<MappedCheckpoint>(std::move(content));
}

std::unique_ptr<Checkpoint> gguf_model() {
  Metadata metadata("model.gguf");
  metadata.insert("general.architecture", std::string("llama"));
  metadata.insert("llama.block_count", std::uint64_t{2});
  metadata.insert("llama.attention.head_count", std::uint64_t{9});
  metadata.insert("llama.attention.head_count_kv", std::vector<std::int64_t>{3, 1});
  metadata.insert("llama.rope.freq_base", 100000.0);
  metadata.insert("llama.rope.scaling.type", std::string("yarn"));
  metadata.insert("llama.attention.layer_norm_rms_epsilon",
                  std::numeric_limits<double>::infinity());
  metadata.insert("llama.feed_forward_length", std::string("many"));
  metadata.insert("llama.attention.sliding_window_pattern", std::vector<bool>{true, false});
  return checkpoint_of(Origin::gguf, std::move(metadata));
}

TEST(Hyperparameters, ReadsGgufKeysOfItsArchitecture) {
  const auto checkpoint = gguf_model();
  const Hyperparameters hyperparameters(*checkpoint);
  EXPECT_EQ(hyperparameters.architecture(), "llama");
  EXPECT_EQ(hyperparameters.integer("block_count"), 2);
  EXPECT_EQ(hyperparameters.number("rope.freq_base"), 100000.0);
  EXPECT_EQ(hyperparameters.text("rope.scaling.type"), "yarn");
  EXPECT_EQ(hyperparameters.integer("vocab_size"), std::nullopt);
  EXPECT_THAT(hyperparameters.integers("attention.head_count_kv"), ElementsAre(3, 1));
  EXPECT_THAT(hyperparameters.integers("attention.head_count"), ElementsAre(9));
  EXPECT_THAT(hyperparameters.numbers("rope.freq_base"), ElementsAre(100000.0));
  EXPECT_THAT(hyperparameters.numbers("attention.head_count_kv"), ElementsAre(3.0, 1.0));
  EXPECT_THAT(hyperparameters.booleans("attention.sliding_window_pattern"),
              ElementsAre(true, false));
  EXPECT_THAT(hyperparameters.texts("rope.scaling.type"), ElementsAre("yarn"));
  EXPECT_THAT(hyperparameters.texts("layer_types"), IsEmpty());
}

TEST(Hyperparameters, SpreadsOneValueOverAllLayers) {
  const auto checkpoint = gguf_model();
  const Hyperparameters hyperparameters(*checkpoint);
  EXPECT_THAT(hyperparameters.require_per_layer("attention.head_count", 3, 1, 64),
              ElementsAre(9, 9, 9));
  EXPECT_THAT(hyperparameters.require_per_layer("attention.head_count_kv", 2, 1, 64),
              ElementsAre(3, 1));
  expect_error(ErrorKind::corrupt, {"model.gguf", "llama.attention.head_count_kv", "2 values", "3"},
               [&] { hyperparameters.require_per_layer("attention.head_count_kv", 3, 1, 64); });
  expect_error(ErrorKind::corrupt, {"head_count_kv\" is 1, expected 2 to 64"},
               [&] { hyperparameters.require_per_layer("attention.head_count_kv", 2, 2, 64); });
  expect_error(ErrorKind::corrupt, {"0 values"},
               [&] { hyperparameters.require_per_layer("absent", 3, 1, 64); });
}

TEST(Hyperparameters, NamesFileAndKeyOfWhatIsWrong) {
  const auto checkpoint = gguf_model();
  const Hyperparameters hyperparameters(*checkpoint);
  expect_error(ErrorKind::corrupt, {"model.gguf", "\"llama.embedding_length\" is missing"},
               [&] { hyperparameters.require_integer("embedding_length", 1, 100); });
  expect_error(ErrorKind::corrupt, {"\"llama.block_count\" is 2, expected 3 to 100"},
               [&] { hyperparameters.require_integer("block_count", 3, 100); });
  expect_error(ErrorKind::corrupt, {"\"llama.feed_forward_length\" is the text \"many\""},
               [&] { hyperparameters.require_integer("feed_forward_length", 1, 100); });
  expect_error(ErrorKind::corrupt, {"\"llama.feed_forward_length\""},
               [&] { hyperparameters.integers("feed_forward_length"); });
  expect_error(ErrorKind::corrupt, {"layer_norm_rms_epsilon\" is inf, expected a finite number"},
               [&] { hyperparameters.require_number("attention.layer_norm_rms_epsilon"); });
  expect_error(ErrorKind::corrupt, {"\"llama.logit_scale\" is missing"},
               [&] { hyperparameters.require_number("logit_scale"); });
}

TEST(Hyperparameters, NeedsAnArchitecture) {
  const auto refused = [](Origin origin, const std::string& key, const std::string& value) {
    Metadata metadata("model");
    if (!key.empty()) metadata.insert(key, value);
    const auto checkpoint = checkpoint_of(origin, std::move(metadata));
    expect_error(ErrorKind::corrupt, {"model"}, [&] { Hyperparameters unused(*checkpoint); });
  };
  refused(Origin::gguf, "", "");
  refused(Origin::hugging_face, "", "");
  refused(Origin::gguf, "model_type", "llama");
  for (const std::string name : {"", "two words", "line\nbreak", "a/b"}) {
    refused(Origin::gguf, "general.architecture", name);
    refused(Origin::hugging_face, "model_type", name);
  }
}

std::vector<std::filesystem::path> case_files() {
  std::vector<std::filesystem::path> files;
  const std::filesystem::path folder = CAIRN_SOURCE_DIR "/tests/cases/checkpoint/hyperparameters";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  }
  return files;
}

// What stands under `prefix`, without it.
Metadata part_of(const Metadata& whole, const std::string& prefix) {
  Metadata part(whole.source());
  for (const auto& [key, value] : whole.values()) {
    if (key.starts_with(prefix)) part.insert(key.substr(prefix.size()), value);
  }
  return part;
}

void expect_value(const Hyperparameters& hyperparameters, const std::string& name,
                  const MetadataValue& expected) {
  if (std::holds_alternative<bool>(expected)) {
    EXPECT_EQ(hyperparameters.boolean(name), std::get<bool>(expected)) << name;
  } else if (const auto* text = std::get_if<std::string>(&expected)) {
    EXPECT_EQ(hyperparameters.text(name), *text) << name;
  } else if (const auto* texts = as_texts(expected)) {
    EXPECT_EQ(hyperparameters.texts(name), *texts) << name;
  } else {
    EXPECT_EQ(hyperparameters.number(name), as_number(expected)) << name;
  }
}

TEST(Hyperparameters, ReadsConfigurationsOfBothForms) {
  const auto files = case_files();
  ASSERT_GE(files.size(), 9U);
  for (const std::filesystem::path& file : files) {
    SCOPED_TRACE(file.filename().string());
    Metadata whole(file.string());
    read_json_fields(base::MappedFile(file).bytes(), file.string(), "", whole);
    const auto checkpoint = checkpoint_of(Origin::hugging_face, part_of(whole, "config."));
    const Hyperparameters hyperparameters(*checkpoint);
    const Metadata expected = part_of(whole, "expected.");
    for (const auto& [name, value] : expected.values()) {
      expect_value(hyperparameters, name, value);
    }
    for (const std::string& name : *whole.texts("absent")) {
      EXPECT_THAT(hyperparameters.numbers(name), IsEmpty()) << name;
    }
  }
}

}  // namespace
}  // namespace cairn::checkpoint
