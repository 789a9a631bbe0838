// Keys and values into blocks of 8 and 4 bits, bit for bit as tensor/formats encodes them (which
// draws the blocks): the scale's inverse is that of the scale before it is rounded to a half.

namespace cairn::backend::cpu::CAIRN_ISA {

inline constexpr std::int64_t kScaleBytes = 2;

CAIRN_INLINE float inverse_or_zero(float scale) {
  const float inverse = 1.0F / scale;
  return inverse <= __FLT_MAX__ && inverse >= -__FLT_MAX__ ? inverse : 0.0F;
}

CAIRN_INLINE float largest_magnitude(const float* values) {
  Floats peak = zero_floats();
  for (int i = 0; i < kBlockValues; i += 8) peak = max(absolute(load(values + i)), peak);
  return max_of_lanes(peak);
}

CAIRN_INLINE void store_scale(std::byte* block, float scale) {
  std::uint16_t halves[8];
  store_f16(halves, broadcast(scale));
  __builtin_memcpy(block, halves, kScaleBytes);
}

/// To the nearest integer of at most 127, half away from zero.
CAIRN_INLINE Ints round_away(Floats x) {
  const Floats magnitude = absolute(x);
  const Floats even = to_floats(round_to_ints(min(magnitude, broadcast(127.0F))));
  // The difference is exact; half above the even number is a tie that went down.
  const Ints is_nearest = less(magnitude - even, broadcast(0.5F));
  const Floats away = select(is_nearest, even, even + broadcast(1.0F));
  return round_to_ints(with_sign_of(min(away, broadcast(127.0F)), x));
}

void to_q8_0(const float* values, std::int64_t size, std::byte* output) {
  for (std::int64_t i = 0; i < size; i += kBlockValues, output += kScaleBytes + kBlockValues) {
    const float exact = largest_magnitude(values + i) / 127.0F;
    const float scale = exact < 65504.0F ? exact : 65504.0F;
    const Floats inverse = broadcast(inverse_or_zero(scale));
    store_scale(output, scale);
    for (int j = 0; j < kBlockValues; j += 8) {
      store_8_low_bytes(output + kScaleBytes + j, round_away(load(values + i + j) * inverse));
    }
  }
}

/// The first of the values of the largest magnitude.
CAIRN_INLINE float extreme_of(const float* values) {
  const float magnitude = largest_magnitude(values);
  for (int i = 0; i < kBlockValues; ++i) {
    if (values[i] == magnitude || values[i] == -magnitude) return values[i];
  }
  return 0.0F;
}

void to_q4_0(const float* values, std::int64_t size, std::byte* output) {
  constexpr std::int64_t kCodeBytes = kBlockValues / 2;
  for (std::int64_t i = 0; i < size; i += kBlockValues, output += kScaleBytes + kCodeBytes) {
    const float exact = extreme_of(values + i) / -8.0F;
    const float bounded = exact < 65504.0F ? exact : 65504.0F;
    const float scale = bounded > -65504.0F ? bounded : -65504.0F;
    const Floats inverse = broadcast(inverse_or_zero(scale));
    store_scale(output, scale);
    const auto codes = [&](const float* p) {
      const Floats steps = load(p) * inverse + broadcast(8.5F);
      return truncate_to_ints(min(max(steps, zero_floats()), broadcast(15.0F)));
    };
    for (int j = 0; j < kCodeBytes; j += 8) {
      const Ints low = codes(values + i + j);
      const Ints high = codes(values + i + j + kCodeBytes);
      store_8_low_bytes(output + kScaleBytes + j, low | shift_left<4>(high));
    }
  }
}

}  // namespace cairn::backend::cpu::CAIRN_ISA
