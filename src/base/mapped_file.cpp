#include "base/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <utility>

#include "base/error.h"

namespace cairn::base {
namespace {

class FileDescriptor {
 public:
  explicit FileDescriptor(int fd) : fd_(fd) {}
  ~FileDescriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

// The whole memory pages that lie inside `part`.
std::pair<void*, std::size_t> whole_pages(std::span<const std::byte> part, bool outward) {
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto first = reinterpret_cast<std::uintptr_t>(part.data());
  const std::uintptr_t last = first + part.size();
  const std::uintptr_t begin = outward ? first / page * page : (first + page - 1) / page * page;
  const std::uintptr_t end = outward ? (last + page - 1) / page * page : last / page * page;
  return {reinterpret_cast<void*>(begin), end > begin ? end - begin : 0};
}

}  // namespace

MappedFile::MappedFile(const std::filesystem::path& path) : path_(path) {
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) {
    const ErrorKind kind = errno == ENOENT ? ErrorKind::not_found : ErrorKind::io;
    fail(kind, "{}: cannot open: {}", path.string(), std::strerror(errno));
  }
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) {
    fail(ErrorKind::io, "{}: cannot read its size: {}", path.string(), std::strerror(errno));
  }
  if (!S_ISREG(status.st_mode)) {
    fail(ErrorKind::invalid_argument, "{}: not a regular file", path.string());
  }
  size_ = static_cast<std::size_t>(status.st_size);
  if (size_ == 0) return;
  void* address = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file.get(), 0);
  if (address == MAP_FAILED) {
    fail(ErrorKind::io, "{}: cannot map {} bytes: {}", path.string(), size_, std::strerror(errno));
  }
  data_ = static_cast<const std::byte*>(address);
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : path_(std::move(other.path_)),
      data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)) {}

MappedFile::~MappedFile() {
  if (data_ != nullptr) ::munmap(const_cast<std::byte*>(data_), size_);
}

void MappedFile::release(std::span<const std::byte> part) const {
  const auto [begin, size] = whole_pages(part, /*outward=*/false);
  if (size > 0) ::madvise(begin, size, MADV_DONTNEED);
}

void MappedFile::prefetch(std::span<const std::byte> part) const {
  const auto [begin, size] = whole_pages(part, /*outward=*/true);
  if (size > 0) ::madvise(begin, size, MADV_WILLNEED);
}

}  // namespace cairn::base
