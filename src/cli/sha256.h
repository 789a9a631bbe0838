#pragma once
// SHA-256 (FIPS 180-4) of what is fetched.

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace cairn::cli {

class Sha256 {
 public:
  Sha256();
  void update(std::span<const std::byte> bytes);
  /// 64 lower-case hexadecimal digits. Nothing may be added afterwards.
  std::string finish();

 private:
  struct Free {
    void operator()(void* state) const;
  };
  std::unique_ptr<void, Free> state_;
};

/// Shows progress on a terminal. Throws io.
std::string sha256_of_file(const std::filesystem::path& path);

/// 64 hexadecimal digits, of either case.
bool is_sha256(std::string_view text);

}  // namespace cairn::cli
