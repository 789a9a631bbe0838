#pragma once
// A cursor over a file's bytes. Reads little-endian numbers; never steps outside: what a file says
// about its own sizes is compared with what is left before anything is read or allocated.

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

#include "base/error.h"

namespace cairn::checkpoint {

static_assert(std::endian::native == std::endian::little, "files are read in place");

class ByteReader {
 public:
  /// `file` is the name that messages give. Both must outlive the reader.
  ByteReader(std::span<const std::byte> bytes, const std::string& file)
      : bytes_(bytes), file_(file) {}

  std::uint64_t position() const { return position_; }
  std::uint64_t remaining() const { return bytes_.size() - position_; }

  /// `what` names the field in messages.
  template <class T>
  requires(std::integral<T> || std::floating_point<T>) T read(std::string_view what) {
    T value{};
    std::memcpy(&value, take(sizeof(T), what).data(), sizeof(T));
    return value;
  }

  std::span<const std::byte> take(std::uint64_t size_bytes, std::string_view what) {
    if (size_bytes > remaining()) {
      fail(ErrorKind::corrupt,
           "{}: cut short: {} at byte {} needs {} bytes, {} are left; download the file again",
           file_, what, position_, size_bytes, remaining());
    }
    const auto part = bytes_.subspan(position_, size_bytes);
    position_ += size_bytes;
    return part;
  }

  std::string_view take_text(std::uint64_t size_bytes, std::string_view what) {
    const auto part = take(size_bytes, what);
    return {reinterpret_cast<const char*>(part.data()), part.size()};
  }

 private:
  std::span<const std::byte> bytes_;
  const std::string& file_;
  std::uint64_t position_ = 0;
};

}  // namespace cairn::checkpoint
