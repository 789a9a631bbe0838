#pragma once
// A file that comes into being: PATH.part grows, survives an interruption unless it is empty, and
// becomes PATH in one step when it is complete. Locked against a second process. Used by one
// thread.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

namespace cairn::cli {

class PartFile {
 public:
  /// Opens or makes PATH.part and the folders above it. Throws io that names the path and what the
  /// system said, or unavailable if another process fetches the same file.
  explicit PartFile(std::filesystem::path path);
  ~PartFile();
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;

  std::int64_t size_bytes() const { return size_bytes_; }
  const std::filesystem::path& part_path() const { return part_path_; }

  /// Throws io unless `more_bytes` fit on the disk; says what is free and what is needed.
  void require_space(std::int64_t more_bytes) const;
  void append(std::span<const std::byte> bytes);
  /// Back to an empty file.
  void restart();
  /// Writes everything to the disk and gives the file its name.
  void commit();
  /// Removes the part: what it holds is wrong.
  void discard();

 private:
  std::filesystem::path path_;
  std::filesystem::path part_path_;
  int descriptor_ = -1;
  std::int64_t size_bytes_ = 0;
};

}  // namespace cairn::cli
