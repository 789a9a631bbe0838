#pragma once
// A weight as the kernels read it.

#include <memory>

#include "backend/backend.h"
#include "backend/cpu/layouts.h"
#include "backend/cpu/weight_memory.h"
#include "base/thread_pool.h"

namespace cairn::backend::cpu {

class CpuWeight final : public Weight {
 public:
  /// Interleaves on all threads. Throws unsupported for a format without a kernel.
  CpuWeight(const WeightView& view, WeightUse use, base::ThreadPool& threads, WeightMemory& memory);

  ActivationKind activations() const { return layout_->activations; }
  LayoutId layout() const { return layout_->id; }
  std::int64_t group_count() const { return (rows() + kGroupRows - 1) / kGroupRows; }
  std::size_t prepared_bytes() const { return codes_bytes_ + scales_bytes_; }

  /// Groups first..first+count-1; who calls adds activations and a tile.
  Product product(std::int64_t first_group, std::int64_t group_count) const;
  /// REQUIRES: prepared for the lookup of rows.
  void decode_row(std::int64_t row, float* values /*[columns]*/) const;

 private:
  const Layout* layout_;
  std::shared_ptr<std::byte> codes_;
  std::shared_ptr<std::byte> scales_;
  std::size_t codes_bytes_ = 0;
  std::size_t scales_bytes_ = 0;
  ConstTensor source_;  // data is null unless rows are looked up
};

/// Every weight that an op meets was made by this backend.
inline const CpuWeight& cpu_weight(const Weight& weight) {
  return static_cast<const CpuWeight&>(weight);
}

}  // namespace cairn::backend::cpu
