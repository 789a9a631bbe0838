#pragma once
// Watches a model load: a checkpoint that counts the bytes whose memory the loader gives back, as
// it does when a weight is ready.

#include <cstdint>
#include <functional>

#include "checkpoint/checkpoint.h"

namespace cairn::engine {

using ProgressFunction = std::function<void(std::int64_t done_bytes, std::int64_t all_bytes)>;

class LoadProgress final : public checkpoint::Checkpoint {
 public:
  /// `inner` must outlive this.
  LoadProgress(const checkpoint::Checkpoint& inner, std::int64_t all_bytes)
      : inner_(inner), all_bytes_(all_bytes) {}

  /// Begins to tell; an empty function ends it.
  void tell(ProgressFunction on_progress) { on_progress_ = std::move(on_progress); }

  checkpoint::Origin origin() const override { return inner_.origin(); }
  const std::filesystem::path& path() const override { return inner_.path(); }
  const checkpoint::Metadata& metadata() const override { return inner_.metadata(); }
  std::span<const checkpoint::NamedTensor> tensors() const override { return inner_.tensors(); }
  const checkpoint::NamedTensor* find(std::string_view name) const override {
    return inner_.find(name);
  }
  void release(std::span<const std::byte> bytes) const override {
    inner_.release(bytes);
    done_bytes_ += static_cast<std::int64_t>(bytes.size());
    if (on_progress_) on_progress_(done_bytes_, all_bytes_);
  }

 private:
  const checkpoint::Checkpoint& inner_;
  std::int64_t all_bytes_;
  mutable std::int64_t done_bytes_ = 0;
  ProgressFunction on_progress_;
};

}  // namespace cairn::engine
