#include <gmock/gmock.h>

#include <cstdlib>

#include "cli/package_fetcher.h"
#include "cli/test_support.h"

namespace cairn::cli {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

// A python3 of our own, first and only in PATH.
class PipFetcherTest : public FolderTest {
 protected:
  void SetUp() override {
    FolderTest::SetUp();
    path_ = std::getenv("PATH");
  }
  void TearDown() override {
    setenv("PATH", path_.c_str(), 1);
    FolderTest::TearDown();
  }

  void put_python(const std::string& script) const {
    const fs::path program = folder_ / "bin" / "python3";
    write_text(program, "#!/bin/sh\n" + script + "\n");
    fs::permissions(program, fs::perms::owner_all);
    setenv("PATH", program.parent_path().c_str(), 1);
  }
  fs::path fetch() const { return make_pip_fetcher()->fetch("Some-package", "1.0", folder_); }

  std::string path_;
};

TEST_F(PipFetcherTest, FindsTheWheelThatPipLeft) {
  put_python("echo content > " + (folder_ / "some_package-1.0-py3-none-any.whl").string());
  EXPECT_EQ(fetch().filename(), "some_package-1.0-py3-none-any.whl");
}

TEST_F(PipFetcherTest, AsksForWheelsOnlyAndWithoutDependencies) {
  put_python("echo \"$@\" > " + (folder_ / "arguments").string() + "; exit 1");
  error_of([&] { fetch(); });
  EXPECT_THAT(text_of(folder_ / "arguments"), HasSubstr("-m pip download"));
  EXPECT_THAT(text_of(folder_ / "arguments"), HasSubstr("--no-deps --only-binary=:all:"));
  EXPECT_THAT(text_of(folder_ / "arguments"), HasSubstr("Some-package==1.0"));
}

TEST_F(PipFetcherTest, APipThatFailsSaysItsReason) {
  put_python("echo some noise; echo 'ERROR: no route to the index' >&2; echo more; exit 1");
  const Error error = error_of([&] { fetch(); });
  EXPECT_EQ(error.kind(), ErrorKind::io);
  EXPECT_THAT(error.message(), HasSubstr("Some-package==1.0: ERROR: no route to the index"));
}

TEST_F(PipFetcherTest, APipThatFetchesNothingIsAnError) {
  put_python("exit 0");
  EXPECT_EQ(error_of([&] { fetch(); }).kind(), ErrorKind::io);
}

TEST_F(PipFetcherTest, NoPipAndNoPythonSayWhatToInstall) {
  put_python("echo 'python3: No module named pip' >&2; exit 1");
  const Error no_pip = error_of([&] { fetch(); });
  EXPECT_EQ(no_pip.kind(), ErrorKind::not_found);
  EXPECT_THAT(no_pip.message(), HasSubstr("python3-pip"));

  setenv("PATH", (folder_ / "nothing").c_str(), 1);
  const Error no_python = error_of([&] { fetch(); });
  EXPECT_EQ(no_python.kind(), ErrorKind::not_found);
  EXPECT_THAT(no_python.message(), HasSubstr("cannot run python3"));
}

}  // namespace
}  // namespace cairn::cli
