#pragma once
// A model file or folder, opened: typed metadata plus named tensor views over mapped files. GGUF
// (single or split) and Hugging Face folders (safetensors, single or sharded) give the same thing.
// Immutable once open, thread-safe. Every size was checked against the file's length.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "checkpoint/metadata.h"
#include "tensor/tensor.h"

namespace cairn::checkpoint {

struct NamedTensor {
  std::string name;   // as in the file
  ConstTensor view;   // points into a mapped file that the checkpoint keeps open
};

enum class Origin {
  gguf,
  hugging_face,
};

class Checkpoint {
 public:
  virtual ~Checkpoint() = default;
  virtual Origin origin() const = 0;
  /// The file or folder as the user named it.
  virtual const std::filesystem::path& path() const = 0;
  /// GGUF: the file's keys. Hugging Face: config.json flattened with dots ("rope_scaling.factor",
  /// arrays as values), and generation_config.json under "generation_config.".
  virtual const Metadata& metadata() const = 0;
  virtual std::span<const NamedTensor> tensors() const = 0;
  /// Null if the file has no such tensor.
  virtual const NamedTensor* find(std::string_view name) const = 0;
  /// Gives the memory behind a tensor back to the system; it stays readable from the file.
  virtual void release(const NamedTensor& tensor) const = 0;
};

/// Opens a GGUF file (or the first of a split), a .safetensors file beside its config.json, or a
/// folder with either. Throws not_found, corrupt, unsupported or io, naming the file and what to do.
std::unique_ptr<Checkpoint> open_checkpoint(const std::filesystem::path& path);

}  // namespace cairn::checkpoint
