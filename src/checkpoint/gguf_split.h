#pragma once
// A GGUF model split over files: "name-00001-of-00003.gguf" and so on. The first part holds the
// keys; every part lists the tensors that lie in it.

#include <cstdint>
#include <filesystem>
#include <optional>

namespace cairn::checkpoint {

struct SplitName {
  std::filesystem::path prefix;  // folder and name, up to the number
  std::uint32_t number = 0;      // from 1
  std::uint32_t count = 0;

  std::filesystem::path part(std::uint32_t part_number) const;
};

/// Nullopt if the name does not follow the pattern.
std::optional<SplitName> parse_split_name(const std::filesystem::path& path);

}  // namespace cairn::checkpoint
