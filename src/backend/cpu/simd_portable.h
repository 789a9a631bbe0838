#pragma once
// simd.h in plain C++: the compiler's vector types, which it lowers to what the target has.

#include <cstddef>
#include <cstdint>

namespace cairn::backend::cpu::CAIRN_ISA {

using FloatLanes [[gnu::vector_size(32)]] = float;
using IntLanes [[gnu::vector_size(32)]] = std::int32_t;
using UnsignedLanes [[gnu::vector_size(32)]] = std::uint32_t;
using ShortLanes [[gnu::vector_size(32)]] = std::int16_t;
using UnsignedShortLanes [[gnu::vector_size(32)]] = std::uint16_t;
using ByteLanes [[gnu::vector_size(32)]] = std::int8_t;
using UnsignedByteLanes [[gnu::vector_size(32)]] = std::uint8_t;
using EightSigned [[gnu::vector_size(8)]] = std::int8_t;
using EightUnsigned [[gnu::vector_size(8)]] = std::uint8_t;

/// A register is emulated by several or by memory: a tile would only be more code.
inline constexpr bool kHasTiles = false;

struct Floats {
  FloatLanes v;
};
struct Ints {
  IntLanes v;
};
struct Shorts {
  ShortLanes v;
};
struct Bytes {
  ByteLanes v;
};

template <class To, class From>
CAIRN_INLINE To bits_as(From a) {
  static_assert(sizeof(To) == sizeof(From));
  To result;
  __builtin_memcpy(&result, &a, sizeof result);
  return result;
}
template <class Lanes>
CAIRN_INLINE Lanes load_lanes(const void* p) {
  Lanes result;
  __builtin_memcpy(&result, p, sizeof result);
  return result;
}

/// Where registers are few, nothing is gained by holding on to them.
template <class Lanes>
CAIRN_INLINE void settle(Lanes&) {}
template <class Lanes>
CAIRN_INLINE Lanes settled(Lanes a) {
  return a;
}

/// Asks for the cache lines of size_bytes from p on. They need not exist.
CAIRN_INLINE void prefetch(const std::byte* p, std::int64_t size_bytes) {
  for (std::int64_t i = 0; i < size_bytes; i += 64) __builtin_prefetch(p + i);
}

// Loads and stores. Addresses need no alignment.

CAIRN_INLINE Floats load(const float* p) {
  return {load_lanes<FloatLanes>(p)};
}
CAIRN_INLINE void store(float* p, Floats a) {
  __builtin_memcpy(p, &a, sizeof a);
}
CAIRN_INLINE Bytes load_bytes(const void* p) {
  return {load_lanes<ByteLanes>(p)};
}
CAIRN_INLINE void store(void* p, Bytes a) {
  __builtin_memcpy(p, &a, sizeof a);
}

CAIRN_INLINE Ints first_lanes(std::int64_t count) {
  const IntLanes index = {0, 1, 2, 3, 4, 5, 6, 7};
  return {index < static_cast<std::int32_t>(count)};
}
/// The first `count` < 8 lanes; the others are zero and their memory is not touched.
CAIRN_INLINE Floats load_first(const float* p, std::int64_t count) {
  Floats result = {};
  for (std::int64_t i = 0; i < count; ++i) result.v[i] = p[i];
  return result;
}
CAIRN_INLINE void store_first(float* p, Floats a, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) p[i] = a.v[i];
}

CAIRN_INLINE Floats broadcast(float a) {
  return {FloatLanes{} + a};
}
CAIRN_INLINE Floats zero_floats() {
  return {FloatLanes{}};
}
CAIRN_INLINE Ints zero_ints() {
  return {IntLanes{}};
}
CAIRN_INLINE Ints broadcast_int(std::int32_t a) {
  return {IntLanes{} + a};
}
CAIRN_INLINE Shorts broadcast_short(std::int16_t a) {
  return {ShortLanes{} + a};
}
CAIRN_INLINE Bytes broadcast_byte(std::int8_t a) {
  return {ByteLanes{} + a};
}
/// Four bytes, repeated.
CAIRN_INLINE Bytes broadcast_4_bytes(const void* p) {
  std::int32_t four;
  __builtin_memcpy(&four, p, sizeof four);
  return {bits_as<ByteLanes>(broadcast_int(four).v)};
}
/// Sixteen bytes, in both halves.
CAIRN_INLINE Bytes broadcast_16_bytes(const void* p) {
  std::int8_t bytes[32];
  __builtin_memcpy(bytes, p, 16);
  __builtin_memcpy(bytes + 16, p, 16);
  return load_bytes(bytes);
}

// f32

CAIRN_INLINE Floats operator+(Floats a, Floats b) {
  return {a.v + b.v};
}
CAIRN_INLINE Floats operator-(Floats a, Floats b) {
  return {a.v - b.v};
}
CAIRN_INLINE Floats operator*(Floats a, Floats b) {
  return {a.v * b.v};
}
CAIRN_INLINE Floats operator/(Floats a, Floats b) {
  return {a.v / b.v};
}
/// a * b + c
CAIRN_INLINE Floats multiply_add(Floats a, Floats b, Floats c) {
  return {a.v * b.v + c.v};
}
CAIRN_INLINE Floats bits_to_floats(Ints a) {
  return {bits_as<FloatLanes>(a.v)};
}
CAIRN_INLINE Ints floats_to_bits(Floats a) {
  return {bits_as<IntLanes>(a.v)};
}
/// All bits of a lane where a < b.
CAIRN_INLINE Ints less(Floats a, Floats b) {
  return {a.v < b.v};
}
CAIRN_INLINE Floats select(Ints mask, Floats yes, Floats no) {
  return bits_to_floats({(floats_to_bits(yes).v & mask.v) | (floats_to_bits(no).v & ~mask.v)});
}
CAIRN_INLINE Floats max(Floats a, Floats b) {
  return select({a.v > b.v}, a, b);
}
CAIRN_INLINE Floats min(Floats a, Floats b) {
  return select({a.v < b.v}, a, b);
}
CAIRN_INLINE Floats absolute(Floats a) {
  return bits_to_floats({floats_to_bits(a).v & 0x7FFFFFFF});
}
/// Magnitude of a, sign of b.
CAIRN_INLINE Floats with_sign_of(Floats a, Floats b) {
  return bits_to_floats({(floats_to_bits(a).v & 0x7FFFFFFF) | (floats_to_bits(b).v & ~0x7FFFFFFF)});
}
/// ((0+4)+(2+6)) + ((1+5)+(3+7))
CAIRN_INLINE float sum_of_lanes(Floats a) {
  return ((a.v[0] + a.v[4]) + (a.v[2] + a.v[6])) + ((a.v[1] + a.v[5]) + (a.v[3] + a.v[7]));
}
CAIRN_INLINE float max_of_lanes(Floats a) {
  float result = a.v[0];
  for (int i = 1; i < 8; ++i) result = a.v[i] > result ? a.v[i] : result;
  return result;
}
CAIRN_INLINE float square_root(float a) {
  return __builtin_sqrtf(a);
}

// i32

CAIRN_INLINE Ints operator+(Ints a, Ints b) {
  return {a.v + b.v};
}
CAIRN_INLINE Ints operator-(Ints a, Ints b) {
  return {a.v - b.v};
}
CAIRN_INLINE Ints operator&(Ints a, Ints b) {
  return {a.v & b.v};
}
CAIRN_INLINE Ints operator|(Ints a, Ints b) {
  return {a.v | b.v};
}
template <int kBits>
CAIRN_INLINE Ints shift_left(Ints a) {
  return {bits_as<IntLanes>(bits_as<UnsignedLanes>(a.v) << kBits)};
}
template <int kBits>
CAIRN_INLINE Ints shift_right_unsigned(Ints a) {
  return {bits_as<IntLanes>(bits_as<UnsignedLanes>(a.v) >> kBits)};
}
CAIRN_INLINE Ints greater(Ints a, Ints b) {
  return {a.v > b.v};
}

// Conversions

CAIRN_INLINE Floats to_floats(Ints a) {
  return {__builtin_convertvector(a.v, FloatLanes)};
}
/// To the nearest, ties to even.
CAIRN_INLINE Ints round_to_ints(Floats a) {
  // Added to a smaller number, 1.5 * 2^23 leaves no fraction: the addition rounds.
  const Floats magic = broadcast(12582912.0F);
  return {__builtin_convertvector(((a + magic) - magic).v, IntLanes)};
}
CAIRN_INLINE Ints truncate_to_ints(Floats a) {
  return {__builtin_convertvector(a.v, IntLanes)};
}
CAIRN_INLINE Floats load_bf16(const std::uint16_t* p) {
  Ints bits;
  for (int i = 0; i < 8; ++i) bits.v[i] = p[i];
  return bits_to_floats(shift_left<16>(bits));
}
/// Moves the half's exponent and mantissa to a float's places and rebiases: for a subnormal half
/// by arithmetic, (1 + m / 2^10) * 2^-14 - 2^-14, for infinity and NaN once more.
CAIRN_INLINE Floats load_f16(const std::uint16_t* p) {
  Ints half;
  for (int i = 0; i < 8; ++i) half.v[i] = p[i];
  const Ints rebias = broadcast_int((127 - 15) << 23);
  const Ints shifted = shift_left<13>(half & broadcast_int(0x7FFF));
  const Floats subnormal =
      bits_to_floats(shifted + rebias + broadcast_int(1 << 23)) - broadcast(0x1p-14F);
  Ints bits = shifted + rebias;
  bits = floats_to_bits(
      select(greater(broadcast_int(0x0400 << 13), shifted), subnormal, bits_to_floats(bits)));
  const Ints infinite = greater(shifted, broadcast_int((0x7C00 << 13) - 1));
  bits = bits + (infinite & rebias);
  return bits_to_floats(bits | shift_left<16>(half & broadcast_int(0x8000)));
}
/// The low 16 bits of each lane.
CAIRN_INLINE void store_8_low_shorts(std::uint16_t* p, Ints a) {
  for (int i = 0; i < 8; ++i) p[i] = static_cast<std::uint16_t>(a.v[i]);
}
CAIRN_INLINE void store_f16(std::uint16_t* p, Floats a) {
  const Ints magnitude = floats_to_bits(absolute(a));
  const Ints sign = shift_right_unsigned<16>(floats_to_bits(a)) & broadcast_int(0x8000);
  const Ints odd = shift_right_unsigned<13>(magnitude) & broadcast_int(1);
  const Ints normal = shift_right_unsigned<13>(magnitude - broadcast_int((127 - 15) << 23) +
                                               broadcast_int(0xFFF) + odd);
  // One step of a float in [0.5, 1) is one step of a subnormal half: the addition rounds.
  const Ints subnormal =
      floats_to_bits(absolute(a) + broadcast(0.5F)) - floats_to_bits(broadcast(0.5F));
  Ints half = floats_to_bits(select(less(absolute(a), broadcast(0x1p-14F)),
                                    bits_to_floats(subnormal), bits_to_floats(normal)));
  const Ints too_large = greater(magnitude, floats_to_bits(broadcast(65519.996F)));
  half = floats_to_bits(
      select(too_large, bits_to_floats(broadcast_int(0x7C00)), bits_to_floats(half)));
  const Ints not_a_number = greater(magnitude, broadcast_int(0x7F800000));
  half = half | (not_a_number & broadcast_int(0x200));
  store_8_low_shorts(p, half | sign);
}
/// Eight bytes as integers.
CAIRN_INLINE Ints load_8_unsigned(const void* p) {
  return {__builtin_convertvector(load_lanes<EightUnsigned>(p), IntLanes)};
}
CAIRN_INLINE Ints load_8_signed(const void* p) {
  return {__builtin_convertvector(load_lanes<EightSigned>(p), IntLanes)};
}
/// The low 8 bits of each lane.
CAIRN_INLINE void store_8_low_bytes(void* p, Ints a) {
  std::int8_t bytes[8];
  for (int i = 0; i < 8; ++i) bytes[i] = static_cast<std::int8_t>(a.v[i]);
  __builtin_memcpy(p, bytes, 8);
}

// i16 and bytes

CAIRN_INLINE Shorts operator+(Shorts a, Shorts b) {
  return {a.v + b.v};
}
/// a[2i] * b[2i] + a[2i+1] * b[2i+1]
CAIRN_INLINE Ints multiply_pairs(Shorts a, Shorts b) {
  const auto even = [](Shorts s) {
    return bits_as<IntLanes>(bits_as<UnsignedLanes>(s.v) << 16) >> 16;
  };
  const auto odd = [](Shorts s) { return bits_as<IntLanes>(s.v) >> 16; };
  return {even(a) * even(b) + odd(a) * odd(b)};
}
/// The same for unsigned bytes a and signed bytes b. The sum must fit 16 bits.
CAIRN_INLINE Shorts multiply_pairs(Bytes a, Bytes b) {
  const auto unsigned_a = bits_as<UnsignedShortLanes>(a.v);
  const auto even_a = bits_as<ShortLanes>(unsigned_a & 0xFF);
  const auto odd_a = bits_as<ShortLanes>(unsigned_a >> 8);
  const ShortLanes even_b = bits_as<ShortLanes>(bits_as<UnsignedShortLanes>(b.v) << 8) >> 8;
  const ShortLanes odd_b = bits_as<ShortLanes>(b.v) >> 8;
  return {even_a * even_b + odd_a * odd_b};
}
CAIRN_INLINE Bytes operator&(Bytes a, Bytes b) {
  return {a.v & b.v};
}
CAIRN_INLINE Bytes operator|(Bytes a, Bytes b) {
  return {a.v | b.v};
}
/// Shifts 16-bit lanes: what crosses a byte must be masked off.
template <int kBits>
CAIRN_INLINE Bytes shift_right(Bytes a) {
  return {bits_as<ByteLanes>(bits_as<UnsignedShortLanes>(a.v) >> kBits)};
}
template <int kBits>
CAIRN_INLINE Bytes shift_left(Bytes a) {
  return {bits_as<ByteLanes>(bits_as<UnsignedShortLanes>(a.v) << kBits)};
}
/// |a| as unsigned bytes: -128 becomes 128, which signed bytes cannot hold.
CAIRN_INLINE Bytes absolute(Bytes a) {
  const auto negative = bits_as<UnsignedByteLanes>(a.v >> 7);
  return {bits_as<ByteLanes>((bits_as<UnsignedByteLanes>(a.v) ^ negative) - negative)};
}
/// a where b > 0, -a where b < 0, 0 where b = 0. a must not be -128.
CAIRN_INLINE Bytes negate_by(Bytes a, Bytes b) {
  const ByteLanes negative = b.v >> 7;
  return {((a.v ^ negative) - negative) & (b.v != 0)};
}
/// table[index] within each half of 16 bytes; index in 0..15.
CAIRN_INLINE Bytes look_up(Bytes table, Bytes index) {
  Bytes result;
  for (int i = 0; i < 32; ++i) result.v[i] = table.v[(i & 16) + index.v[i]];
  return result;
}

}  // namespace cairn::backend::cpu::CAIRN_ISA
