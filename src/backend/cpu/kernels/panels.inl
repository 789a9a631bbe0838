// Packed blocks as they are read, and panels: blocks of a few groups of rows, unpacked once, that
// serve all columns. 256 inputs stay in the first-level cache while the columns pass.

namespace cairn::backend::cpu::CAIRN_ISA {

inline constexpr int kPanelBlocks = 8;

/// Packed codes and scales of one group from a block on.
template <class Format>
struct PackedBlocks {
  static constexpr int kBlockBytes = 32 * Format::Packing::kRegisters;
  using Scales = typename Format::Scales;
  const std::byte* codes;
  const std::byte* scales;

  CAIRN_INLINE PackedBlocks(const Product& p, std::int64_t group, std::int64_t first_block)
      : codes(p.codes + group * p.codes_stride_bytes + first_block * kBlockBytes),
        scales(p.scales + group * p.scales_stride_bytes +
               first_block / Scales::kBlocks * Scales::kBytes) {}

  /// Calls visit(codes, factors) for all blocks of a scale unit, and goes on to the next.
  template <class Visit>
  CAIRN_INLINE void take_unit(Visit visit) {
    const Scales unit(scales);
    for (int i = 0; i < Scales::kBlocks; ++i) {
      visit(Format::Packing::unpack(codes), unit.of_block(i));
      codes += kBlockBytes;
    }
    scales += Scales::kBytes;
  }
};

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
