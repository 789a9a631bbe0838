#include "cli/model_name.h"

#include <gmock/gmock.h>

#include <map>

#include "cli/model_list.h"
#include "cli/test_support.h"

namespace cairn::cli {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

constexpr const char* kManifest =
    R"({"layers": [{"mediaType": "application/vnd.ollama.image.template", "digest": "sha256:77"},
                   {"mediaType": "application/vnd.ollama.image.model", "digest": "sha256:@"}]})";

class ModelNameTest : public FolderTest {
 protected:
  void SetUp() override {
    FolderTest::SetUp();
    folders_ = {folder_ / "own", folder_ / "hub", folder_ / "ollama"};
  }

  void add_hugging_face(const std::string& repository, const std::string& revision,
                        const std::string& file, std::size_t size = 4) const {
    write_text(folders_.hugging_face / ("models--" + repository) / "snapshots" / revision / file,
               std::string(size, 'x'));
  }
  void add_ollama(const std::string& path, const std::string& digest) const {
    std::string manifest = kManifest;
    manifest.replace(manifest.find('@'), 1, digest);
    write_text(folders_.ollama / "manifests" / "registry" / path, manifest);
    write_text(folders_.ollama / "blobs" / ("sha256-" + digest), "GGUF");
  }
  fs::path resolve(const std::string& name) const { return resolve_model(name, folders_); }
  Error failure(const std::string& name) const {
    return error_of([&] { resolve(name); });
  }

  ModelFolders folders_;
};

TEST_F(ModelNameTest, AFileOrFolderComesFirst) {
  write_text(folder_ / "x.gguf", "GGUF");
  EXPECT_EQ(resolve((folder_ / "x.gguf").string()), folder_ / "x.gguf");
  EXPECT_EQ(resolve(folder_.string()), folder_);
}

TEST_F(ModelNameTest, APulledModelHasItsShortNameAndItsFilesName) {
  const fs::path path = folders_.own / "smollm2-135m-instruct-q4_1.gguf";
  write_text(path, "GGUF");
  for (const char* name :
       {"smollm2", "smollm2-135m-instruct-q4_1", "smollm2-135m-instruct-q4_1.gguf"})
    EXPECT_EQ(resolve(name), path) << name;
}

TEST_F(ModelNameTest, HuggingFaceFilesHaveTheirPathOrAPartOfIt) {
  add_hugging_face("org--repo", "abc", "a.gguf");
  const fs::path path = folders_.hugging_face / "models--org--repo/snapshots/abc/a.gguf";
  for (const char* name :
       {"org/repo/a.gguf", "org/repo/a", "org/repo", "repo", "repo/a", "a", "a.gguf"})
    EXPECT_EQ(resolve(name), path) << name;
  for (const char* name : {"org", "rep", "repo/", "o/repo", "org/rep", "repo/a.gguf/x"})
    EXPECT_EQ(failure(name).kind(), ErrorKind::not_found) << name;
}

TEST_F(ModelNameTest, SeveralFilesOfARepositoryAreListed) {
  add_hugging_face("org--repo", "abc", "a.gguf");
  add_hugging_face("org--repo", "abc", "b.gguf");
  const Error error = failure("org/repo");
  EXPECT_EQ(error.kind(), ErrorKind::invalid_argument);
  EXPECT_THAT(error.message(), HasSubstr("org/repo/a.gguf, org/repo/b.gguf"));
  EXPECT_NO_THROW(resolve("org/repo/b"));
}

TEST_F(ModelNameTest, TheMainRevisionCounts) {
  add_hugging_face("org--repo", "old", "a.gguf");
  add_hugging_face("org--repo", "new", "a.gguf");
  write_text(folders_.hugging_face / "models--org--repo" / "refs" / "main", "new");
  EXPECT_THAT(resolve("repo").string(), HasSubstr("snapshots/new"));
}

TEST_F(ModelNameTest, AFolderOfSafetensorsIsAModelAndShardsAreOne) {
  add_hugging_face("org--tensors", "abc", "config.json");
  add_hugging_face("org--tensors", "abc", "model-1.safetensors", 10);
  add_hugging_face("org--tensors", "abc", "model-2.safetensors", 20);
  add_hugging_face("org--split", "abc", "big-00001-of-00002.gguf", 3);
  add_hugging_face("org--split", "abc", "big-00002-of-00002.gguf", 5);
  const auto models = list_models(folders_);
  ASSERT_EQ(models.size(), 2U);
  EXPECT_EQ(models[0].name, "org/split/big-00001-of-00002.gguf");
  EXPECT_EQ(models[0].size_bytes, 8);
  EXPECT_EQ(models[1].name, "org/tensors");
  EXPECT_EQ(models[1].size_bytes, 30);
  EXPECT_TRUE(fs::is_directory(resolve("tensors")));
}

TEST_F(ModelNameTest, OllamaNamesHaveTags) {
  add_ollama("library/tiny/latest", "11");
  add_ollama("library/small/1b", "22");
  add_ollama("library/small/2b", "33");
  add_ollama("someone/own/latest", "44");
  EXPECT_EQ(resolve("tiny"), folders_.ollama / "blobs" / "sha256-11");
  EXPECT_EQ(resolve("small:2b"), folders_.ollama / "blobs" / "sha256-33");
  EXPECT_EQ(resolve("someone/own"), folders_.ollama / "blobs" / "sha256-44");
  EXPECT_EQ(failure("small").kind(), ErrorKind::invalid_argument);
}

TEST_F(ModelNameTest, WhatOtherProgramsLeftInDisorderIsSkipped) {
  write_text(folders_.ollama / "manifests" / "r" / "library" / "a" / "latest", "{not json");
  write_text(folders_.ollama / "manifests" / "r" / "library" / "b" / "latest", R"({"layers": 7})");
  write_text(folders_.ollama / "manifests" / "r" / "library" / "c" / "latest",
             R"({"layers": [{"mediaType": "application/vnd.ollama.image.model",
                             "digest": "../../../x"}, 3]})");
  write_text(folders_.hugging_face / "models--org--empty" / "refs" / "main", "../../..");
  write_text(folders_.hugging_face / "version.txt", "1");
  EXPECT_TRUE(list_models(folders_).empty());
}

TEST_F(ModelNameTest, WhatIsNowhereSaysWhereWasLooked) {
  const Error error = failure("nothing");
  EXPECT_EQ(error.kind(), ErrorKind::not_found);
  for (const fs::path& place : {folders_.own, folders_.hugging_face, folders_.ollama})
    EXPECT_THAT(error.message(), HasSubstr(place.string()));
  EXPECT_THAT(error.message(), HasSubstr("cairn pull"));
  EXPECT_EQ(failure("").kind(), ErrorKind::invalid_argument);
}

}  // namespace
}  // namespace cairn::cli
