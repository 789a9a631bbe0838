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

/// A tensor as it lies in a file. A file may hold tensors that nothing here can compute with (an
/// integer table, an exotic type); they are listed with their reason, and refused when asked for.
struct NamedTensor {
  std::string name;                  // as in the file
  std::string type;                  // as its format calls it: GGUF "q4_k", safetensors "BF16"
  ConstTensor view;                  // dtype none if unusable; data may be unaligned (safetensors)
  std::span<const std::byte> bytes;  // all of it, usable or not
  std::string problem;               // empty: usable; else why not, to be read after the name

  bool usable() const { return problem.empty(); }
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
  /// In the order of the file.
  virtual std::span<const NamedTensor> tensors() const = 0;
  /// Null if the file has no such tensor.
  virtual const NamedTensor* find(std::string_view name) const = 0;
  /// Gives the memory behind a part of a tensor back to the system; it stays readable from the
  /// file. Bytes that lie in none of the files are ignored.
  virtual void release(std::span<const std::byte> bytes) const = 0;
};

/// Opens a GGUF file (or any part of a split one), a .safetensors file beside its config.json, or a
/// folder with either (safetensors first). Throws not_found, corrupt, unsupported or io, naming the
/// file and what to do.
std::unique_ptr<Checkpoint> open_checkpoint(const std::filesystem::path& path);

}  // namespace cairn::checkpoint
