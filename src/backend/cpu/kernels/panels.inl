// Panels: blocks of a few groups of rows, unpacked once, that serve all columns. 256 inputs stay in
// the first-level cache while the columns pass.

namespace cairn::backend::cpu::CAIRN_ISA {

inline constexpr int kPanelBlocks = 8;

/// Where a panel stands in a product.
struct Chunk {
  std::int64_t group;
  std::int64_t first_block;
  int block_count;
};

CAIRN_INLINE const ActivationBlock* blocks_of(const Product& p, std::int64_t column) {
  return static_cast<const ActivationBlock*>(
      static_cast<const void*>(p.activations + column * p.activations_stride_bytes));
}
CAIRN_INLINE float* results_of(const Product& p, const Chunk& chunk, std::int64_t column) {
  return p.tile + column * p.tile_stride + chunk.group * kGroupRows;
}

}  // namespace cairn::backend::cpu::CAIRN_ISA
