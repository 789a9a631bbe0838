#pragma once
// A checkpoint that is nothing but metadata, for tests.

#include <filesystem>
#include <string>
#include <utility>

#include "checkpoint/checkpoint.h"

namespace cairn::engine {

class MemoryCheckpoint final : public checkpoint::Checkpoint {
 public:
  explicit MemoryCheckpoint(checkpoint::Origin origin = checkpoint::Origin::gguf)
      : origin_(origin) {}
  checkpoint::Origin origin() const override { return origin_; }
  const std::filesystem::path& path() const override { return path_; }
  const checkpoint::Metadata& metadata() const override { return metadata_; }
  std::span<const checkpoint::NamedTensor> tensors() const override { return {}; }
  const checkpoint::NamedTensor* find(std::string_view) const override { return nullptr; }
  void release(std::span<const std::byte>) const override {}

  /// `key` without "tokenizer.".
  void set(const std::string& key, checkpoint::MetadataValue value) {
    metadata_.insert("tokenizer." + key, std::move(value));
  }

 private:
  checkpoint::Origin origin_;
  std::filesystem::path path_ = "model.gguf";
  checkpoint::Metadata metadata_{"model.gguf"};
};

}  // namespace cairn::engine
