#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "checkpoint/checkpoint.h"
#include "checkpoint/test_files.h"
#include "tensor/tensor.h"

namespace cairn::checkpoint {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;

std::string gguf_bytes() {
  GgufFile file;
  file.text("general.architecture", "llama").floats("output_norm.weight", {2}, {7, 8});
  return file.bytes();
}

std::string safetensors_bytes(const std::string& name, float value) {
  return safetensors_file(
      "{\"" + name + R"(": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}})", raw(value));
}

float first_value(const Checkpoint& checkpoint, const std::string& name) {
  const NamedTensor* tensor = checkpoint.find(name);
  if (tensor == nullptr) return -1;
  std::vector<float> values(static_cast<std::size_t>(tensor->view.shape.elements()));
  tensor::decode_to_floats(tensor->view, values);
  return values.front();
}

void expect_refused(ErrorKind kind, const std::vector<std::string>& parts, const fs::path& path) {
  expect_error(kind, parts, [&] { open_checkpoint(path); });
}

TEST(OpenCheckpoint, OpensAGgufFileAndAFolderWithOne) {
  const TemporaryFolder folder;
  const fs::path file = folder.write("m.gguf", gguf_bytes());
  for (const fs::path& path : {file, folder.path()}) {
    const auto checkpoint = open_checkpoint(path);
    EXPECT_EQ(checkpoint->origin(), Origin::gguf);
    EXPECT_EQ(checkpoint->path(), path);
    EXPECT_EQ(checkpoint->metadata().text("general.architecture"), "llama");
    EXPECT_EQ(first_value(*checkpoint, "output_norm.weight"), 7);
    EXPECT_EQ(checkpoint->find("other"), nullptr);
  }
}

TEST(OpenCheckpoint, OpensASafetensorsFolderAndItsFile) {
  const TemporaryFolder folder;
  const fs::path file = folder.write("model.safetensors", safetensors_bytes("a", 5));
  folder.write("config.json", R"({"model_type": "llama", "hidden_size": 1})");
  folder.write("generation_config.json", R"({"temperature": 0.5, "eos_token_id": [1, 2]})");
  folder.write("beside.gguf", gguf_bytes());
  for (const fs::path& path : {file, folder.path()}) {
    const auto checkpoint = open_checkpoint(path);
    EXPECT_EQ(checkpoint->origin(), Origin::hugging_face);
    EXPECT_EQ(checkpoint->metadata().text("model_type"), "llama");
    EXPECT_EQ(checkpoint->metadata().number("generation_config.temperature"), 0.5);
    EXPECT_THAT(*checkpoint->metadata().integers("generation_config.eos_token_id"),
                ElementsAre(1, 2));
    EXPECT_EQ(first_value(*checkpoint, "a"), 5);
  }
}

TEST(OpenCheckpoint, ReleasedTensorsStayReadable) {
  const TemporaryFolder folder;
  GgufFile file;
  file.floats("big", {100'000}, std::vector<float>(100'000, 3.0F));
  const auto checkpoint = open_checkpoint(folder.write("m.gguf", file.bytes()));
  checkpoint->release(checkpoint->find("big")->bytes);
  EXPECT_EQ(first_value(*checkpoint, "big"), 3.0F);
  const std::byte elsewhere[4] = {};
  checkpoint->release(elsewhere);
}

TEST(OpenCheckpoint, OpensShards) {
  const TemporaryFolder folder;
  folder.write("config.json", R"({"model_type": "llama"})");
  folder.write("one.safetensors", safetensors_bytes("a.weight", 1));
  folder.write("two.safetensors", safetensors_bytes("b.weight", 2));
  folder.write("model.safetensors.index.json",
               R"({"metadata": {"total_size": 8},)"
               R"("weight_map": {"a.weight": "one.safetensors", "b.weight": "two.safetensors"}})");
  const auto checkpoint = open_checkpoint(folder.path());
  EXPECT_EQ(checkpoint->tensors().size(), 2U);
  EXPECT_EQ(first_value(*checkpoint, "a.weight"), 1);
  EXPECT_EQ(first_value(*checkpoint, "b.weight"), 2);
}

TEST(OpenCheckpoint, RefusesBadShards) {
  const auto with_map = [](const std::string& weight_map, ErrorKind kind,
                           const std::vector<std::string>& parts) {
    const TemporaryFolder folder;
    folder.write("config.json", R"({"model_type": "llama"})");
    folder.write("one.safetensors", safetensors_bytes("a", 1));
    folder.write("model.safetensors.index.json", weight_map);
    expect_refused(kind, parts, folder.path());
  };
  with_map(R"({"weight_map": {"a": "two.safetensors"}})", ErrorKind::not_found,
           {"two.safetensors", "missing"});
  with_map(R"({"weight_map": {"b": "one.safetensors"}})", ErrorKind::corrupt,
           {"\"b\" is not in one.safetensors"});
  with_map(R"({"weight_map": {}})", ErrorKind::corrupt, {"no \"weight_map\""});
  with_map(R"({"weight_map": {"a": 1}})", ErrorKind::corrupt, {"\"weight_map.a\"", "file name"});
  for (const std::string shard : {"../one.safetensors", "/etc/passwd", "..", ".", "", "a/b",
                                  "one.safetensors\\u0000", "a\\\\b"}) {
    with_map(R"({"weight_map": {"a": ")" + shard + "\"}}", ErrorKind::corrupt,
             {"no plain file name"});
  }
}

TEST(OpenCheckpoint, NeedsTheConfigurationBesideSafetensors) {
  const TemporaryFolder folder;
  folder.write("model.safetensors", safetensors_bytes("a", 1));
  expect_refused(ErrorKind::not_found, {"config.json", "missing"}, folder.path());
  folder.write("config.json", "{");
  expect_refused(ErrorKind::corrupt, {"config.json", "no valid JSON"}, folder.path());
}

TEST(OpenCheckpoint, RefusesWhatIsNoModel) {
  const TemporaryFolder folder;
  expect_refused(ErrorKind::not_found, {"no model", "model.safetensors", "*.gguf"}, folder.path());
  expect_refused(ErrorKind::not_found, {"absent.gguf"}, folder.path() / "absent.gguf");
  expect_refused(ErrorKind::corrupt, {"empty.gguf", "empty"}, folder.write("empty.gguf", ""));
  expect_refused(ErrorKind::unsupported, {"neither GGUF nor safetensors", "Dear reader,\\x0a"},
                 folder.write("letter.txt", "Dear reader,\nhello"));
  expect_refused(
      ErrorKind::unsupported, {"Git LFS", "git lfs pull"},
      folder.write("lfs.gguf", "version https://git-lfs.github.com/spec/v1\noid sha256:"));
  expect_refused(ErrorKind::unsupported, {"zip archive"}, folder.write("p.bin", "PK\x03\x04zzzz"));
  expect_refused(ErrorKind::unsupported, {"before GGUF"}, folder.write("g.bin", "tjgg\x01zzzz"));
  expect_refused(ErrorKind::unsupported, {"web page"}, folder.write("h.gguf", "<!DOCTYPE html>"));
  expect_refused(ErrorKind::corrupt, {"cut short"}, folder.write("magic.gguf", "GGUF"));
}

TEST(OpenCheckpoint, AsksWhichOfSeveralModels) {
  const TemporaryFolder folder;
  folder.write("b.gguf", gguf_bytes());
  folder.write("a.gguf", gguf_bytes());
  expect_refused(ErrorKind::invalid_argument, {"2 GGUF models", "a.gguf"}, folder.path());
}

TEST(OpenCheckpoint, RefusesAGgufFileCutAnywhere) {
  const TemporaryFolder folder;
  const std::string whole = gguf_bytes();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const fs::path file = folder.write("cut.gguf", whole.substr(0, size));
    EXPECT_THROW(open_checkpoint(file), Error) << "cut at " << size;
  }
}

}  // namespace
}  // namespace cairn::checkpoint
