#pragma once
// Where a model's constructor gets its weights: it asks by GGUF's name and by shape, and the source
// remembers every question. What a file lacks is an error at once; what nobody asked for is one at
// the end. That makes the constructor the one list of a model's tensors.
//
//   WeightSource source(checkpoint);
//   WeightSource layer = source.scope("blk.3");
//   ConstTensor q = layer.tensor("attn_q.weight", {head_count * head_length, width});
//   ...
//   source.require_all_used();
//
// Not thread-safe: one thread builds a model.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "checkpoint/checkpoint.h"
#include "checkpoint/name_map.h"
#include "tensor/tensor.h"

namespace cairn::checkpoint {

/// In an expected shape: whatever the file has.
inline constexpr std::int64_t kAnySize = -1;

class WeightSource {
 public:
  /// `checkpoint` and `overrides` (a family's own names in Hugging Face folders) must outlive this
  /// and all its scopes.
  explicit WeightSource(const Checkpoint& checkpoint, std::span<const NamePair> overrides = {});

  /// The same source, with `name` and a dot before every name asked for.
  WeightSource scope(std::string_view name) const;

  /// Throws corrupt if the file has no such tensor or another shape (dimensions of 1 before the
  /// others do not count), unsupported if nothing here computes with its type; with the file's
  /// name, the tensor's and what was expected. `expected` is outermost first: [rows, columns].
  ConstTensor tensor(std::string_view name, const Shape& expected) const;
  /// Nullopt if the file has no such tensor.
  std::optional<ConstTensor> optional_tensor(std::string_view name, const Shape& expected) const;
  bool has(std::string_view name) const;

  /// Gives the memory behind a tensor back to the system, once it has been prepared.
  void release(const ConstTensor& tensor) const;

  struct Report {
    std::vector<std::string> missing;  // optional tensors that were asked for and are not there
    std::vector<std::string> unused;   // as in the file; what is known to be needless is left out
  };
  Report report() const;

  /// Throws unsupported, with their names, if the file holds tensors that nobody asked for: a model
  /// that ignores weights computes something else than its file says. `ignorable` are beginnings of
  /// names (as in the file) that the family knowingly leaves out.
  void require_all_used(std::span<const std::string_view> ignorable = {}) const;

  const Checkpoint& checkpoint() const;

 private:
  struct State;
  WeightSource(std::shared_ptr<State> state, std::string prefix);
  const NamedTensor* find(const std::string& name) const;

  std::shared_ptr<State> state_;
  std::string prefix_;
};

}  // namespace cairn::checkpoint
