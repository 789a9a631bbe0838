#include "checkpoint/gguf_split.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "checkpoint/checkpoint.h"
#include "checkpoint/test_files.h"

namespace cairn::checkpoint {
namespace {

namespace fs = std::filesystem;

GgufFile part(std::uint16_t number, std::uint16_t count, const std::string& tensor, float value) {
  GgufFile file;
  if (number == 0) file.text("general.architecture", "llama");
  file.key("split.no", kU16, raw(number)).key("split.count", kU16, raw(count));
  file.key("split.tensors.count", kI32, raw<std::int32_t>(count));
  file.floats(tensor, {1}, {value});
  return file;
}

void write_split(const TemporaryFolder& folder) {
  folder.write("m-00001-of-00003.gguf", part(0, 3, "a", 1).bytes());
  folder.write("m-00002-of-00003.gguf", part(1, 3, "b", 2).bytes());
  folder.write("m-00003-of-00003.gguf", part(2, 3, "c", 3).bytes());
}

void expect_refused(ErrorKind kind, const std::vector<std::string>& parts, const fs::path& path) {
  expect_error(kind, parts, [&] { open_checkpoint(path); });
}

TEST(SplitName, FollowsThePattern) {
  const auto name = parse_split_name("/models/some-model-00002-of-00010.gguf");
  ASSERT_TRUE(name);
  EXPECT_EQ(name->prefix, "/models/some-model");
  EXPECT_EQ(name->number, 2U);
  EXPECT_EQ(name->count, 10U);
  EXPECT_EQ(name->part(7), "/models/some-model-00007-of-00010.gguf");
  for (const char* other :
       {"m.gguf", "-00001-of-00002.gguf", "m-00000-of-00002.gguf", "m-00003-of-00002.gguf",
        "m-0001-of-0002.gguf", "m-00001-of-00002.bin", "m-0000a-of-00002.gguf", "",
        "m-00001_of-00002.gguf", "m-+0001-of-00002.gguf"}) {
    EXPECT_FALSE(parse_split_name(other)) << other;
  }
}

TEST(GgufSplit, OpensFromAnyPartAndFromTheFolder) {
  const TemporaryFolder folder;
  write_split(folder);
  for (const fs::path& path : {folder.path() / "m-00001-of-00003.gguf",
                               folder.path() / "m-00003-of-00003.gguf", folder.path()}) {
    const auto checkpoint = open_checkpoint(path);
    EXPECT_EQ(checkpoint->metadata().text("general.architecture"), "llama");
    EXPECT_EQ(checkpoint->tensors().size(), 3U);
    for (const std::string name : {"a", "b", "c"}) EXPECT_NE(checkpoint->find(name), nullptr);
  }
}

TEST(GgufSplit, NamesTheMissingPart) {
  const TemporaryFolder folder;
  write_split(folder);
  fs::remove(folder.path() / "m-00002-of-00003.gguf");
  expect_refused(ErrorKind::not_found, {"m-00002-of-00003.gguf", "part 2 of 3 is missing"},
                 folder.path() / "m-00001-of-00003.gguf");
}

TEST(GgufSplit, RefusesPartsThatDoNotBelongTogether) {
  const TemporaryFolder folder;
  write_split(folder);
  const fs::path first = folder.path() / "m-00001-of-00003.gguf";
  folder.write("m-00002-of-00003.gguf", part(2, 3, "b", 2).bytes());
  expect_refused(ErrorKind::corrupt, {"m-00002", "\"split.no\" 2"}, first);
  folder.write("m-00002-of-00003.gguf", part(1, 4, "b", 2).bytes());
  expect_refused(ErrorKind::corrupt, {"m-00002", "of 4"}, first);
  folder.write("m-00002-of-00003.gguf", part(1, 3, "a", 2).bytes());
  expect_refused(ErrorKind::corrupt, {"two tensors are called \"a\""}, first);
  folder.write("m-00002-of-00003.gguf", part(1, 3, "b", 2).floats("d", {1}, {4}).bytes());
  expect_refused(ErrorKind::corrupt, {"\"split.tensors.count\" is 3", "4 tensors"}, first);
  folder.write("m-00002-of-00003.gguf", "GGUF");
  expect_refused(ErrorKind::corrupt, {"m-00002", "cut short"}, first);
}

TEST(GgufSplit, NeedsItsName) {
  const TemporaryFolder folder;
  const fs::path file = folder.write("renamed.gguf", part(0, 3, "a", 1).bytes());
  expect_refused(ErrorKind::invalid_argument, {"one of 3 parts", "-of-00003.gguf"}, file);
}

TEST(GgufSplit, ASplitOfOneIsAWhole) {
  const TemporaryFolder folder;
  EXPECT_EQ(open_checkpoint(folder.write("m.gguf", part(0, 1, "a", 1).bytes()))->tensors().size(),
            1U);
}

}  // namespace
}  // namespace cairn::checkpoint
