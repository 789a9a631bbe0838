#pragma once
// The one Checkpoint: mapped files, the metadata and the tensors that were found in them.

#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/mapped_file.h"
#include "checkpoint/checkpoint.h"

namespace cairn::checkpoint {

class MappedCheckpoint final : public Checkpoint {
 public:
  struct Content {
    Origin origin = Origin::gguf;
    std::filesystem::path path;
    std::vector<base::MappedFile> files;
    Metadata metadata;
    std::vector<NamedTensor> tensors;  // views into the files; names are unique
  };
  explicit MappedCheckpoint(Content content);

  Origin origin() const override { return content_.origin; }
  const std::filesystem::path& path() const override { return content_.path; }
  const Metadata& metadata() const override { return content_.metadata; }
  std::span<const NamedTensor> tensors() const override { return content_.tensors; }
  const NamedTensor* find(std::string_view name) const override;
  void release(std::span<const std::byte> bytes) const override;

 private:
  Content content_;
  std::unordered_map<std::string_view, const NamedTensor*> by_name_;
};

/// A GGUF file that is already mapped; opens the other parts of a split. `path`: as the user gave
/// it.
std::unique_ptr<Checkpoint> open_gguf(base::MappedFile file, const std::filesystem::path& path);

/// A .safetensors file that is already mapped, with the config.json beside it.
std::unique_ptr<Checkpoint> open_safetensors(base::MappedFile file,
                                             const std::filesystem::path& path);

/// The safetensors of a folder, as its model.safetensors.index.json lists them.
std::unique_ptr<Checkpoint> open_sharded_safetensors(const std::filesystem::path& index,
                                                     const std::filesystem::path& path);

}  // namespace cairn::checkpoint
