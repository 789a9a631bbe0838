#pragma once
// For tests: model files built byte by byte, right or wrong on purpose.

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"

namespace cairn::checkpoint {

inline std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

template <class T>
std::string raw(T value) {
  std::string bytes(sizeof(T), '\0');
  std::memcpy(bytes.data(), &value, sizeof(T));
  return bytes;
}

inline std::string gguf_text(std::string_view text) {
  return raw<std::uint64_t>(text.size()).append(text);
}

/// Value types of GGUF.
using GgufValue = std::uint32_t;
inline constexpr GgufValue kU8 = 0;
inline constexpr GgufValue kI8 = 1;
inline constexpr GgufValue kU16 = 2;
inline constexpr GgufValue kI16 = 3;
inline constexpr GgufValue kU32 = 4;
inline constexpr GgufValue kI32 = 5;
inline constexpr GgufValue kF32 = 6;
inline constexpr GgufValue kBoolean = 7;
inline constexpr GgufValue kText = 8;
inline constexpr GgufValue kList = 9;
inline constexpr GgufValue kU64 = 10;
inline constexpr GgufValue kI64 = 11;
inline constexpr GgufValue kF64 = 12;

/// A GGUF file in pieces. Everything a test may want wrong is a member.
struct GgufFile {
  std::string magic = "GGUF";
  std::uint32_t version = 3;
  std::optional<std::uint64_t> stated_tensor_count;
  std::optional<std::uint64_t> stated_key_count;
  std::vector<std::string> keys;     // encoded
  std::vector<std::string> tensors;  // encoded
  std::string data;
  std::size_t alignment = 32;  // what the padding before the data follows

  GgufFile& key(std::string_view name, std::uint32_t type, const std::string& value) {
    keys.push_back(gguf_text(name) + raw(type) + value);
    return *this;
  }
  GgufFile& text(std::string_view name, std::string_view value) {
    return key(name, kText, gguf_text(value));
  }
  GgufFile& u32(std::string_view name, std::uint32_t value) { return key(name, kU32, raw(value)); }
  GgufFile& list(std::string_view name, std::uint32_t type, std::uint64_t count,
                 const std::string& items) {
    return key(name, kList, raw(type) + raw(count) + items);
  }
  /// `dimensions` innermost first, as in the file.
  GgufFile& tensor(std::string_view name, const std::vector<std::int64_t>& dimensions,
                   std::uint32_t type, std::uint64_t offset) {
    std::string entry = gguf_text(name) + raw(static_cast<std::uint32_t>(dimensions.size()));
    for (const std::int64_t dimension : dimensions) entry += raw(dimension);
    tensors.push_back(entry + raw(type) + raw(offset));
    return *this;
  }
  /// Appends an f32 tensor and its data at the next aligned offset.
  GgufFile& floats(std::string_view name, const std::vector<std::int64_t>& dimensions,
                   const std::vector<float>& values) {
    data.resize((data.size() + alignment - 1) / alignment * alignment);
    tensor(name, dimensions, 0, data.size());
    for (const float value : values) data += raw(value);
    return *this;
  }

  std::string bytes() const {
    std::string file = magic + raw(version) +
                       raw<std::uint64_t>(stated_tensor_count.value_or(tensors.size())) +
                       raw<std::uint64_t>(stated_key_count.value_or(keys.size()));
    for (const std::string& entry : keys) file += entry;
    for (const std::string& entry : tensors) file += entry;
    if (!tensors.empty()) file.resize((file.size() + alignment - 1) / alignment * alignment);
    return file + data;
  }
};

/// A safetensors file from its header's JSON and its data.
inline std::string safetensors_file(const std::string& header, const std::string& data) {
  return raw<std::uint64_t>(header.size()) + header + data;
}

/// Removed with everything in it at the end.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "cairn-test-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) ADD_FAILURE() << "cannot make " << name;
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path write(const std::string& name, const std::string& content) const {
    std::ofstream(path_ / name, std::ios::binary) << content;
    return path_ / name;
  }

 private:
  std::filesystem::path path_;
};

/// `action` must throw an Error of `kind` on one line that holds every one of `parts`.
inline void expect_error(ErrorKind kind, const std::vector<std::string>& parts,
                         const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind) << error.message();
    EXPECT_EQ(error.message().find('\n'), std::string::npos) << error.message();
    for (const std::string& part : parts) {
      EXPECT_NE(error.message().find(part), std::string::npos)
          << "\"" << part << "\" is not in: " << error.message();
    }
    return;
  }
  ADD_FAILURE() << "nothing was thrown; expected: " << (parts.empty() ? "" : parts.front());
}

}  // namespace cairn::checkpoint
