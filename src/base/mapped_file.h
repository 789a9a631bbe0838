#pragma once
// A file mapped read-only. Thread-safe once open. A file that is truncated by another process while
// mapped raises SIGBUS on access, as with every mapping.

#include <cstddef>
#include <filesystem>
#include <span>

namespace cairn::base {

class MappedFile {
 public:
  /// Throws not_found or io with the path.
  explicit MappedFile(const std::filesystem::path& path);
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&&) = delete;

  std::span<const std::byte> bytes() const { return {data_, size_}; }
  const std::filesystem::path& path() const { return path_; }

  /// Gives the memory of whole pages inside `part` back to the system; the content stays readable
  /// (it is read again from the file). `part` must lie within bytes().
  void release(std::span<const std::byte> part) const;
  /// Asks the system to read `part` ahead.
  void prefetch(std::span<const std::byte> part) const;

 private:
  std::filesystem::path path_;
  const std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace cairn::base
