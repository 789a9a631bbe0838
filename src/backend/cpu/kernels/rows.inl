// Kernels over one row of floats: norm, quantization, activation, epilogues. Rows that are no
// multiple of eight end in the same vector code on a part of a register.

namespace cairn::backend::cpu::CAIRN_ISA {

/// Calls visit(i, count) for eight values at a time; count < 8 only at the end.
template <class Visit>
CAIRN_INLINE void for_each_8(std::int64_t size, Visit visit) {
  std::int64_t i = 0;
  for (; i + 8 <= size; i += 8) visit(i, std::int64_t{8});
  if (i < size) visit(i, size - i);
}
CAIRN_INLINE Floats load_up_to_8(const float* p, std::int64_t count) {
  return count == 8 ? load(p) : load_first(p, count);
}
CAIRN_INLINE void store_up_to_8(float* p, Floats a, std::int64_t count) {
  if (count == 8) {
    store(p, a);
  } else {
    store_first(p, a, count);
  }
}

/// In 32 lanes, lane i % 32 each, then the lanes pairwise.
CAIRN_INLINE float sum_of_squares(const float* values, std::int64_t size) {
  Floats lanes[4] = {zero_floats(), zero_floats(), zero_floats(), zero_floats()};
  std::int64_t i = 0;
  for (; i + 32 <= size; i += 32) {
    for (int j = 0; j < 4; ++j) {
      const Floats x = load(values + i + 8 * j);
      lanes[j] = multiply_add(x, x, lanes[j]);
    }
  }
  for (int j = 0; i < size; ++j, i += 8) {
    const Floats x = load_up_to_8(values + i, size - i < 8 ? size - i : 8);
    lanes[j] = multiply_add(x, x, lanes[j]);
  }
  return sum_of_lanes((lanes[0] + lanes[1]) + (lanes[2] + lanes[3]));
}

void rms_norm(const float* input, const float* weight, std::int64_t size, float epsilon,
              float* output) {
  const float mean = sum_of_squares(input, size) / static_cast<float>(size);
  const Floats inverse = broadcast(1.0F / square_root(mean + epsilon));
  for_each_8(size, [&](std::int64_t i, std::int64_t count) {
    const Floats x = load_up_to_8(input + i, count) * inverse;
    store_up_to_8(output + i, x * load_up_to_8(weight + i, count), count);
  });
}

/// Half of a block on its way.
struct HalfBlock {
  Floats x[2];
  Floats q[2];  // the rounded values
  float multiplier;
};

/// Rounds to steps of step * multiplier, the smallest multiplier that cuts no value.
CAIRN_INLINE void round_half(HalfBlock& half, float step, float peak, std::int8_t* values) {
  const float least = peak / (127.0F * step);
  const int truncated = static_cast<int>(least);
  const int raised = static_cast<float>(truncated) < least ? truncated + 1 : truncated;
  half.multiplier = static_cast<float>(raised < 1 ? 1 : raised);
  const Floats inverse = broadcast(1.0F / (step * half.multiplier));
  for (int i = 0; i < 2; ++i) {
    const Ints q = round_to_ints(half.x[i] * inverse);
    store_8_low_bytes(values + 8 * i, q);
    half.q[i] = to_floats(q);
  }
}

/// 32 values: steps from the peaks of both halves, then the scale that fits the rounded values
/// best, sum of x (m q) / sum of (m q)^2. What is too small to divide by counts as zero.
CAIRN_INLINE void quantize_block(const float* values, ActivationBlock& block) {
  HalfBlock halves[2];
  float peaks[2];
  for (int h = 0; h < 2; ++h) {
    halves[h].x[0] = load(values + 16 * h);
    halves[h].x[1] = load(values + 16 * h + 8);
    peaks[h] = max_of_lanes(max(absolute(halves[h].x[0]), absolute(halves[h].x[1])));
  }
  const float peak = peaks[0] > peaks[1] ? peaks[0] : peaks[1];
  const bool divides = peak > 0x1p-100F;
  const float step = divides ? peak / (127.0F * 127.0F) : 1.0F;
  Floats products = zero_floats();
  Floats squares = zero_floats();
  for (int h = 0; h < 2; ++h) {
    round_half(halves[h], step, peaks[h], block.values + 16 * h);
    for (int i = 0; i < 2; ++i) {
      const Floats code = halves[h].q[i] * broadcast(halves[h].multiplier);
      products = multiply_add(halves[h].x[i], code, products);
      squares = multiply_add(code, code, squares);
    }
  }
  block.scale = divides ? sum_of_lanes(products) / sum_of_lanes(squares) : 0.0F;
  float sums[2];
  for (int h = 0; h < 2; ++h) {
    const float sum = sum_of_lanes(halves[h].q[0] + halves[h].q[1]);
    block.multipliers[h] = static_cast<std::int16_t>(halves[h].multiplier);
    block.half_scales[h] = block.scale * halves[h].multiplier;
    block.minus_128_times[h] = -128 * static_cast<std::int32_t>(sum);
    sums[h] = block.half_scales[h] * sum;
  }
  block.low_scaled_sum = sums[0];
  block.scaled_sum = sums[0] + sums[1];
}

void quantize(const float* values, std::int64_t size, ActivationBlock* blocks) {
  for (std::int64_t i = 0; i < size / kBlockValues; ++i) {
    quantize_block(values + i * kBlockValues, blocks[i]);
  }
}

void silu_gated(float* gate, const float* up, std::int64_t size) {
  for_each_8(size, [&](std::int64_t i, std::int64_t count) {
    const Floats x = silu(load_up_to_8(gate + i, count)) * load_up_to_8(up + i, count);
    store_up_to_8(gate + i, x, count);
  });
}

void gelu_gated(float* gate, const float* up, std::int64_t size) {
  for_each_8(size, [&](std::int64_t i, std::int64_t count) {
    const Floats x = gelu_tanh(load_up_to_8(gate + i, count)) * load_up_to_8(up + i, count);
    store_up_to_8(gate + i, x, count);
  });
}

void scale_and_cap(float* values, std::int64_t size, float scale, float softcap) {
  for_each_8(size, [&](std::int64_t i, std::int64_t count) {
    Floats x = load_up_to_8(values + i, count) * broadcast(scale);
    if (softcap > 0) x = capped(x, softcap);
    store_up_to_8(values + i, x, count);
  });
}

void add(float* sum, const float* values, std::int64_t size) {
  for_each_8(size, [&](std::int64_t i, std::int64_t count) {
    store_up_to_8(sum + i, load_up_to_8(sum + i, count) + load_up_to_8(values + i, count), count);
  });
}

void finish(const Epilogue& e) {
  for (std::int64_t column = 0; column < e.column_count; ++column) {
    const float* tile = e.tile + column * e.tile_stride;
    float* output = e.output + column * e.output_stride;
    for_each_8(e.row_count, [&](std::int64_t i, std::int64_t count) {
      Floats x = load_up_to_8(tile + i, count);
      if (e.bias != nullptr) x = x + load_up_to_8(e.bias + i, count);
      if (e.add) x = load_up_to_8(output + i, count) + x;
      store_up_to_8(output + i, x, count);
    });
  }
}

void rotate(float* head, const float* table_row, std::int64_t n, bool adjacent) {
  const std::int64_t half = n / 2;
  const std::int64_t step = adjacent ? 2 : 1;
  const std::int64_t apart = adjacent ? 1 : half;
  for (std::int64_t i = 0; i < half; ++i) {
    const float a = head[i * step];
    const float b = head[i * step + apart];
    const float cosine = table_row[i];
    const float sine = table_row[half + i];
    head[i * step] = a * cosine - b * sine;
    head[i * step + apart] = b * cosine + a * sine;
  }
}

/// Calls convert(eight floats, where) for eight values at a time.
template <class Convert>
CAIRN_INLINE void convert_to_16_bits(const float* values, std::int64_t size, std::uint16_t* output,
                                     Convert convert) {
  std::int64_t i = 0;
  for (; i + 8 <= size; i += 8) convert(load(values + i), output + i);
  if (i == size) return;
  std::uint16_t rest[8];
  convert(load_first(values + i, size - i), rest);
  for (std::int64_t j = 0; i + j < size; ++j) output[i + j] = rest[j];
}

void to_f16(const float* values, std::int64_t size, std::uint16_t* output) {
  const Floats largest = broadcast(65504.0F);
  convert_to_16_bits(values, size, output, [&](Floats x, std::uint16_t* place) {
    store_f16(place, max(min(x, largest), zero_floats() - largest));
  });
}

void to_bf16(const float* values, std::int64_t size, std::uint16_t* output) {
  convert_to_16_bits(values, size, output, [](Floats x, std::uint16_t* place) {
    const Ints bits = floats_to_bits(x);
    const Ints odd = shift_right_unsigned<16>(bits) & broadcast_int(1);
    const Ints nearest = shift_right_unsigned<16>(bits + broadcast_int(0x7FFF) + odd);
    const Ints quiet = shift_right_unsigned<16>(bits) | broadcast_int(0x40);
    const Ints not_a_number = greater(bits & broadcast_int(0x7FFFFFFF), broadcast_int(0x7F800000));
    store_8_low_shorts(place, floats_to_bits(select(not_a_number, bits_to_floats(quiet),
                                                    bits_to_floats(nearest))));
  });
}

}  // namespace cairn::backend::cpu::CAIRN_ISA
