#include "cli/part_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>

#include "base/error.h"
#include "cli/units.h"

namespace cairn::cli {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail_with_errno(const char* action, const fs::path& path) {
  const int code = errno;
  const char* remedy = code == ENOSPC || code == EDQUOT
                           ? "free some space or set XDG_CACHE_HOME to a folder on another disk"
                           : "set XDG_CACHE_HOME to a folder that may be written";
  fail(ErrorKind::io, "cannot {} {}: {}; {}", action, path.string(), std::strerror(code), remedy);
}

void make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (!error) return;
  errno = error.value();
  fail_with_errno("create folder", folder);
}

}  // namespace

PartFile::PartFile(fs::path path) : path_(std::move(path)), part_path_(path_.string() + ".part") {
  make_folder(path_.parent_path());
  descriptor_ = open(part_path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (descriptor_ < 0) fail_with_errno("write", part_path_);
  if (flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
    close(descriptor_);
    fail(ErrorKind::unavailable, "{} is locked: another process is fetching it; wait for it",
         part_path_.string());
  }
  size_bytes_ = lseek(descriptor_, 0, SEEK_END);
}

PartFile::~PartFile() {
  if (size_bytes_ == 0) discard();
  close(descriptor_);
}

void PartFile::require_space(std::int64_t more_bytes) const {
  std::error_code error;
  const fs::space_info space = fs::space(part_path_.parent_path(), error);
  if (error || more_bytes <= 0 || static_cast<std::uintmax_t>(more_bytes) <= space.available)
    return;
  fail(ErrorKind::io,
       "disk full: {} has {} free, {} more are needed; free some space or set XDG_CACHE_HOME to a "
       "folder on another disk",
       part_path_.parent_path().string(), bytes_text(static_cast<std::int64_t>(space.available)),
       bytes_text(more_bytes));
}

void PartFile::append(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail_with_errno("write", part_path_);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
    size_bytes_ += written;
  }
}

void PartFile::restart() {
  if (ftruncate(descriptor_, 0) != 0 || lseek(descriptor_, 0, SEEK_SET) != 0)
    fail_with_errno("empty", part_path_);
  size_bytes_ = 0;
}

void PartFile::commit() {
  if (fsync(descriptor_) != 0) fail_with_errno("write", part_path_);
  if (std::rename(part_path_.c_str(), path_.c_str()) != 0) fail_with_errno("rename", part_path_);
}

void PartFile::discard() {
  std::error_code ignored;
  fs::remove(part_path_, ignored);
}

}  // namespace cairn::cli
