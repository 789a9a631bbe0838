#include "cli/application.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <vector>

#include "cli/exit_code.h"
#include "cli/test_support.h"

namespace cairn::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::internal::CaptureStderr;
using ::testing::internal::CaptureStdout;
using ::testing::internal::GetCapturedStderr;
using ::testing::internal::GetCapturedStdout;

struct Outcome {
  int exit_code = 0;
  std::string out;
  std::string error;
};

// With a cache of its own, so that nothing on this machine has a name.
class ApplicationTest : public FolderTest {
 protected:
  void SetUp() override {
    FolderTest::SetUp();
    for (const char* variable : {"XDG_CACHE_HOME", "HF_HOME", "HF_HUB_CACHE", "OLLAMA_MODELS"})
      setenv(variable, folder_.c_str(), 1);
  }

  static Outcome run(std::vector<const char*> arguments) {
    arguments.insert(arguments.begin(), "cairn");
    CaptureStdout();
    CaptureStderr();
    Outcome outcome;
    outcome.exit_code = run_application(static_cast<int>(arguments.size()), arguments.data());
    outcome.out = GetCapturedStdout();
    outcome.error = GetCapturedStderr();
    return outcome;
  }

  // One line that starts with the program's name, and nothing on stdout.
  static void expect_error(const Outcome& outcome, ExitCode code, const std::string& part) {
    EXPECT_EQ(outcome.exit_code, static_cast<int>(code)) << outcome.error;
    EXPECT_EQ(outcome.out, "");
    EXPECT_THAT(outcome.error, ::testing::StartsWith("cairn: "));
    EXPECT_THAT(outcome.error, HasSubstr(part));
    EXPECT_EQ(std::count(outcome.error.begin(), outcome.error.end(), '\n'), 1) << outcome.error;
  }
};

TEST_F(ApplicationTest, VersionNamesIsaAndLibraries) {
  const Outcome outcome = run({"--version"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.out, ::testing::StartsWith("cairn "));
  for (const char* part : {"isa", "libraries", "fmt", "curl"})
    EXPECT_THAT(outcome.out, HasSubstr(part));
}

TEST_F(ApplicationTest, EveryCommandHelpsWithExamples) {
  const Outcome outcome = run({"--help"});
  EXPECT_EQ(outcome.exit_code, 0);
  for (const char* command : {"run", "chat", "inspect", "tokenize", "template", "logits",
                              "perplexity", "bench", "pull", "list", "rm", "machine"}) {
    EXPECT_THAT(outcome.out, HasSubstr(std::string("  ") + command + " "));
    const Outcome help = run({command, "--help"});
    EXPECT_EQ(help.exit_code, 0) << command;
    EXPECT_THAT(help.out, HasSubstr("Examples:")) << command;
    EXPECT_EQ(help.error, "") << command;
  }
}

TEST_F(ApplicationTest, WrongUsageIsOneLineThatPointsToHelp) {
  expect_error(run({}), ExitCode::usage, "cairn --help");
  expect_error(run({"fly"}), ExitCode::usage, "cairn --help");
  expect_error(run({"list", "--fast"}), ExitCode::usage, "cairn list --help");
  expect_error(run({"pull"}), ExitCode::usage, "SOURCE");
  expect_error(run({"machine", "--threads", "-1"}), ExitCode::usage, "--threads");
  expect_error(run({"machine", "--threads", "many"}), ExitCode::usage, "--threads");
}

TEST_F(ApplicationTest, PullRefusesWhatItCannotFetch) {
  expect_error(run({"pull", "gpt-17"}), ExitCode::not_found, "smollm2");
  expect_error(run({"pull", "hf:x"}), ExitCode::usage, "hf:owner/repository/file.gguf");
  expect_error(run({"pull", "https://host/x"}), ExitCode::usage, "--name");
  expect_error(run({"pull", "https://host/x.gguf", "--name", "../x"}), ExitCode::usage, "../x");
  expect_error(run({"pull", "https://host/x.gguf", "--sha256", "12"}), ExitCode::usage, "--sha256");
  expect_error(run({"pull", "http://host/x.gguf"}), ExitCode::bad_content, "only https");
}

TEST_F(ApplicationTest, ListAndRmKnowWhatWasPulled) {
  write_text(folder_ / "cairn" / "models" / "small.gguf", "GGUF");
  EXPECT_THAT(run({"list"}).out, HasSubstr("small"));
  EXPECT_THAT(run({"list", "--json"}).out, HasSubstr("\"size_bytes\": 4"));
  expect_error(run({"rm", "../small"}), ExitCode::not_found, "../small");
  EXPECT_EQ(run({"rm", "small"}).exit_code, 0);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "cairn" / "models" / "small.gguf"));
  expect_error(run({"rm", "small"}), ExitCode::not_found, "small");
  EXPECT_EQ(run({"list", "--json"}).out, "[]\n");
}

TEST_F(ApplicationTest, RmRemovesWhatAnUnfinishedPullLeft) {
  const std::filesystem::path part = folder_ / "cairn" / "models" / "small.gguf.part";
  write_text(part, "GG");
  EXPECT_EQ(run({"rm", "small"}).exit_code, 0);
  EXPECT_FALSE(std::filesystem::exists(part));
}

TEST(ExitCode, EveryKindOfErrorHasOne) {
  EXPECT_EQ(exit_code_of(ErrorKind::invalid_argument), ExitCode::usage);
  EXPECT_EQ(exit_code_of(ErrorKind::not_found), ExitCode::not_found);
  EXPECT_EQ(exit_code_of(ErrorKind::corrupt), ExitCode::bad_content);
  EXPECT_EQ(exit_code_of(ErrorKind::unsupported), ExitCode::bad_content);
  EXPECT_EQ(exit_code_of(ErrorKind::out_of_memory), ExitCode::system);
  EXPECT_EQ(exit_code_of(ErrorKind::io), ExitCode::system);
  EXPECT_EQ(exit_code_of(ErrorKind::cancelled), ExitCode::interrupted);
  EXPECT_EQ(exit_code_of(ErrorKind::unavailable), ExitCode::failure);
}

}  // namespace
}  // namespace cairn::cli
