#pragma once
// Models that `cairn pull` knows by a short name: files that Python packages carry.

#include <cstdint>
#include <span>
#include <string_view>

namespace cairn::cli {

/// How its makers recommend to sample a model, where the file does not say it.
struct RecommendedSampling {
  float temperature;
  std::int32_t top_k;
  float top_p;
};

struct KnownModel {
  std::string_view name;       // what is typed
  std::string_view file_stem;  // what the file is called in the cache, without ".gguf"
  std::string_view package;    // of each part; "{}" stands for the part's number, from 1
  std::string_view version;
  int part_count;
  std::string_view member;  // pattern (fnmatch) of the one file in a wheel
  std::int64_t size_bytes;
  std::string_view sha256;
  RecommendedSampling sampling = {};
};

std::span<const KnownModel> known_models();

/// By name or by file stem; null if there is none.
const KnownModel* find_known_model(std::string_view name);

}  // namespace cairn::cli
