// Products with quantized weights: integer dot products of 16 inputs, scaled and added in f32 over
// ascending blocks. Integers are exact, so the order of f32 operations per output is the same for
// every tile: that is what makes a row independent of its company.
//
// dots_of_pairs.inl and dots_of_fours.inl add a block to a tile of sums; here stands what goes
// around it.

namespace cairn::backend::cpu::CAIRN_ISA {

/// One column of one group: each block is unpacked to registers and used once.
template <class Format>
CAIRN_INLINE void multiply_column(const Product& p, std::int64_t group, std::int64_t column) {
  PackedBlocks<Format> packed(p, group, 0);
  const ActivationBlock* x = blocks_of(p, column);
  const ActivationBlock* const end = x + p.inputs / kBlockValues;
  Floats sum = zero_floats();
  while (x != end) {
    packed.take_unit([&](const Codes& codes, const typename Format::Factors& factors) {
      add_block<Format>(sum, codes, factors, x);
      ++x;
    });
  }
  store(p.tile + column * p.tile_stride + group * kGroupRows, sum);
}

/// Asks for what the next unpack_panel will read, so that it comes while the columns pass.
template <class Format>
CAIRN_INLINE void prefetch_panel(const Product& p, std::int64_t group, std::int64_t first_block) {
  using Packed = PackedBlocks<Format>;
  for (int g = 0; g < kPanelGroups; ++g) {
    const Packed packed(p, group + g, first_block);
    prefetch(packed.codes, kPanelBlocks * Packed::kBlockBytes);
    prefetch(packed.scales, kPanelBlocks / Packed::Scales::kBlocks * Packed::Scales::kBytes);
  }
}

template <class Format, int kColumns>
CAIRN_INLINE void add_columns(const Panel<Format>& panel, const Product& p, const Chunk& chunk,
                              std::int64_t column) {
  for (; column + kColumns <= p.column_count; column += kColumns) {
    add_panel<Format, kColumns>(panel, p, chunk, column);
  }
  if constexpr (kColumns > 1) {
    add_columns<Format, smaller_tile(kColumns)>(panel, p, chunk, column);
  }
}

template <class Format>
CAIRN_INLINE void multiply_columns(const Product& p, std::int64_t group) {
  const std::int64_t block_count = p.inputs / kBlockValues;
  Panel<Format> panel;
  for (std::int64_t first = 0; first < block_count; first += kPanelBlocks) {
    const std::int64_t left = block_count - first;
    const Chunk chunk{group, first, static_cast<int>(left < kPanelBlocks ? left : kPanelBlocks)};
    unpack_panel<Format>(p, chunk, panel);
    const bool last = left <= kPanelBlocks;
    prefetch_panel<Format>(p, last ? group + kPanelGroups : group, last ? 0 : first + kPanelBlocks);
    add_columns<Format, kLargestTile>(panel, p, chunk, 0);
  }
}

/// Few columns are not worth a panel, nor is a last group that would not fill one.
template <class Format>
void multiply_codes(const Product& p) {
  std::int64_t group = 0;
  if (p.column_count > 1 && p.column_count <= kFewColumns) {
    for (; group + kPanelGroups <= p.group_count; group += kPanelGroups) {
      multiply_few_columns<Format>(p, group);
    }
  } else if (p.column_count > 1) {
    for (; group + kPanelGroups <= p.group_count; group += kPanelGroups) {
      multiply_columns<Format>(p, group);
    }
  }
  for (; group < p.group_count; ++group) {
    for (std::int64_t column = 0; column < p.column_count; ++column) {
      multiply_column<Format>(p, group, column);
    }
  }
}

}  // namespace cairn::backend::cpu::CAIRN_ISA
