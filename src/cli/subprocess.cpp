#include "cli/subprocess.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "base/error.h"

namespace cairn::cli {
namespace {

constexpr int kPollMilliseconds = 200;
constexpr std::size_t kOutputLimitBytes = 64 << 10;

std::vector<std::string> merged_environment(
    std::span<const std::pair<std::string, std::string>> added) {
  std::vector<std::string> merged;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    bool replaced = false;
    for (const auto& [name, value] : added) replaced |= text.starts_with(name + "=");
    if (!replaced) merged.emplace_back(text);
  }
  for (const auto& [name, value] : added) merged.push_back(name + "=" + value);
  return merged;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

// Starts the program with its stdout and stderr going into `output`.
pid_t spawn(std::vector<std::string> arguments, std::vector<std::string> environment, int output) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO);
  pid_t process = 0;
  const int error = posix_spawnp(&process, arguments[0].c_str(), &actions, nullptr,
                                 pointers_to(arguments).data(), pointers_to(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0)
    fail(ErrorKind::not_found, "cannot run {}: {}; install it or put it into PATH", arguments[0],
         std::strerror(error));
  return process;
}

// Until the other end is closed.
std::string read_all(int input, base::FunctionRef<void()> while_waiting) {
  std::string output;
  std::array<char, 4096> chunk{};
  for (;;) {
    pollfd waited{.fd = input, .events = POLLIN, .revents = 0};
    const int ready = poll(&waited, 1, kPollMilliseconds);
    while_waiting();
    if (ready == 0 || (ready < 0 && errno == EINTR)) continue;
    const ssize_t count = read(input, chunk.data(), chunk.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return output;
    output.append(chunk.data(), static_cast<std::size_t>(count));
    if (output.size() > kOutputLimitBytes) output.erase(0, output.size() - kOutputLimitBytes);
  }
}

int exit_code_of_status(int status) {
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

SubprocessResult run_subprocess(const std::vector<std::string>& arguments,
                                std::span<const std::pair<std::string, std::string>> environment,
                                base::FunctionRef<void()> while_waiting) {
  std::array<int, 2> pipe_ends{};
  if (pipe2(pipe_ends.data(), O_CLOEXEC) != 0)
    fail(ErrorKind::io, "cannot run {}: {}", arguments[0], std::strerror(errno));
  pid_t process = 0;
  try {
    process = spawn(arguments, merged_environment(environment), pipe_ends[1]);
  } catch (...) {
    close(pipe_ends[0]);
    close(pipe_ends[1]);
    throw;
  }
  close(pipe_ends[1]);
  SubprocessResult result;
  result.output = read_all(pipe_ends[0], while_waiting);
  close(pipe_ends[0]);
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  result.exit_code = exit_code_of_status(status);
  return result;
}

}  // namespace cairn::cli
