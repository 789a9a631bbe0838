#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>

#include "base/error.h"
#include "cli/interrupt.h"
#include "cli/package_fetcher.h"
#include "cli/progress.h"
#include "cli/subprocess.h"

namespace cairn::cli {
namespace {

namespace fs = std::filesystem;

// How a wheel's file name writes a package's (PEP 427, PEP 503): lower case, runs of -_. as one _.
std::string wheel_prefix(const std::string& package, const std::string& version) {
  std::string name;
  for (const char c : package) {
    const bool separator = c == '-' || c == '_' || c == '.';
    if (separator && !name.empty() && name.back() == '_') continue;
    name += separator ? '_' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return name + "-" + version + "-";
}

std::optional<fs::path> find_wheel(const fs::path& folder, const std::string& prefix) {
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    std::string name = it->path().filename();
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (name.starts_with(prefix) && name.ends_with(".whl")) return it->path();
  }
  return std::nullopt;
}

// pip says its reason in the last line that starts with "ERROR:", else in its last line.
std::string last_line(const std::string& output) {
  std::string last;
  std::string last_error;
  for (std::size_t start = 0; start < output.size();) {
    const std::size_t end = std::min(output.find('\n', start), output.size());
    const std::string line = output.substr(start, end - start);
    if (line.find_first_not_of(" \t\r") != std::string::npos) last = line;
    if (line.starts_with("ERROR:")) last_error = line;
    start = end + 1;
  }
  return last_error.empty() ? last : last_error;
}

std::int64_t bytes_below(const fs::path& folder) {
  std::int64_t total = 0;
  std::error_code error;
  fs::recursive_directory_iterator it(folder, error);
  for (const fs::recursive_directory_iterator end; !error && it != end; it.increment(error)) {
    std::error_code gone;  // pip moves files while we look
    const auto size = it->file_size(gone);
    if (!gone) total += static_cast<std::int64_t>(size);
  }
  return total;
}

[[noreturn]] void fail_with_output(const std::string& requirement, const std::string& output) {
  if (output.find("No module named pip") != std::string::npos)
    fail(ErrorKind::not_found, "python3 has no pip; install python3-pip ('make deps' does)");
  const std::string line = last_line(output);
  fail(ErrorKind::io, "pip cannot fetch {}: {}; check the network and pip's settings", requirement,
       line.empty() ? "it gave no reason" : line);
}

class PipFetcher final : public PackageFetcher {
 public:
  fs::path fetch(const std::string& package, const std::string& version,
                 const fs::path& folder) override {
    const std::string requirement = package + "==" + version;
    Progress progress("fetching " + package, 0, ProgressUnit::bytes);
    const auto show = [&] { progress.update(bytes_below(folder)); };
    const fs::path temporary = folder / "tmp";
    fs::create_directories(temporary);
    const std::array environment = {std::pair<std::string, std::string>("TMPDIR", temporary),
                                    std::pair<std::string, std::string>("LC_ALL", "C.UTF-8")};
    const SubprocessResult result =
        run_subprocess({"python3", "-m", "pip", "download", "--no-deps",
                        "--only-binary=:all:", "--no-cache-dir", "--disable-pip-version-check",
                        "--no-input", "--quiet", "--dest", folder.string(), requirement},
                       environment, show);
    if (InterruptGuard::requested())
      fail(ErrorKind::cancelled, "interrupted; the same command goes on");
    if (result.exit_code != 0) fail_with_output(requirement, result.output);
    if (const auto wheel = find_wheel(folder, wheel_prefix(package, version))) return *wheel;
    fail(ErrorKind::io, "pip fetched no wheel of {} into {}", requirement, folder.string());
  }
};

}  // namespace

std::unique_ptr<PackageFetcher> make_pip_fetcher() {
  return std::make_unique<PipFetcher>();
}

}  // namespace cairn::cli
