#pragma once
// Compiles normalization rules for tests, one block of 256 units a node (precompiled_map.h draws
// the form).

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace cairn::text {

using NormalizationRules = std::map<std::string, std::string>;

inline void append_u32(std::string& bytes, std::uint32_t value) {
  for (int shift = 0; shift < 32; shift += 8)
    bytes.push_back(static_cast<char>(value >> shift & 0xFF));
}

inline std::string compile_rules(const NormalizationRules& rules) {
  std::map<std::string, std::uint32_t> block_of = {{"", 0}};  // by prefix: where its children are
  for (const auto& [key, replacement] : rules)
    for (std::size_t size = 1; size <= key.size(); ++size)
      block_of.try_emplace(key.substr(0, size), static_cast<std::uint32_t>(block_of.size()) * 256);
  std::vector<std::uint32_t> units(block_of.size() * 256);
  std::string replacements;
  for (const auto& [prefix, block] : block_of) {
    if (prefix.empty()) continue;
    const auto byte = static_cast<std::uint8_t>(prefix.back());
    const std::uint32_t at = block_of[prefix.substr(0, prefix.size() - 1)] ^ byte;
    units[at] = byte | (at ^ block) << 10;
    const auto rule = rules.find(prefix);
    if (rule == rules.end()) continue;
    units[at] |= 1U << 8;
    units[block] = 1U << 31 | static_cast<std::uint32_t>(replacements.size());
    replacements.append(rule->second).push_back('\0');
  }
  std::string blob;
  append_u32(blob, static_cast<std::uint32_t>(units.size() * 4));
  for (const std::uint32_t unit : units) append_u32(blob, unit);
  return blob + replacements;
}

}  // namespace cairn::text
