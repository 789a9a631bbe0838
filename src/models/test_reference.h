#pragma once
// For tests: token ids and logits that somebody else computed, from a safetensors file.

#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/mapped_file.h"
#include "checkpoint/safetensors.h"

namespace cairn::models {

class TestReference {
 public:
  explicit TestReference(const std::filesystem::path& path)
      : file_(path), tensors_(checkpoint::parse_safetensors(file_.bytes(), path.string())) {}

  std::vector<TokenId> tokens(const std::string& name) const {
    std::vector<TokenId> ids;
    for (const std::int32_t value : values<std::int32_t>(name)) ids.emplace_back(value);
    return ids;
  }
  std::vector<float> floats(const std::string& name) const { return values<float>(name); }

 private:
  template <class T>
  std::vector<T> values(const std::string& name) const {
    for (const checkpoint::NamedTensor& tensor : tensors_) {
      if (tensor.name != name) continue;
      std::vector<T> result(tensor.bytes.size() / sizeof(T));
      std::memcpy(result.data(), tensor.bytes.data(), tensor.bytes.size());
      return result;
    }
    CHECK(false, "no {} in {}", name, file_.path().string());
  }

  base::MappedFile file_;
  std::vector<checkpoint::NamedTensor> tensors_;
};

/// Infinite where sizes differ or a value is no number.
inline float largest_difference(const std::vector<float>& a, const std::vector<float>& b) {
  if (a.size() != b.size()) return std::numeric_limits<float>::infinity();
  float largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const float difference = std::abs(a[i] - b[i]);
    if (!(difference <= largest)) largest = difference;
  }
  return std::isnan(largest) ? std::numeric_limits<float>::infinity() : largest;
}

}  // namespace cairn::models
