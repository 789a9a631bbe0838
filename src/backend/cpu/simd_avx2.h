#pragma once
// simd.h on AVX2, FMA and F16C.

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

namespace cairn::backend::cpu::CAIRN_ISA {

/// Sixteen registers or more hold tiles of several rows, columns and queries.
inline constexpr bool kHasTiles = true;

struct Floats {
  __m256 v;
};
struct Ints {
  __m256i v;
};
struct Shorts {
  __m256i v;
};
struct Bytes {
  __m256i v;
};

/// Keeps a sum in its register and its terms in the order written: compilers that reorder a tile of
/// sums run out of registers and spill.
template <class Register>
CAIRN_INLINE Register settled(Register a) {
  asm volatile("" : "+v"(a.v));
  return a;
}
template <class Register>
CAIRN_INLINE void settle(Register& a) {
  a = settled(a);
}

/// Asks for the cache lines of size_bytes from p on. They need not exist.
CAIRN_INLINE void prefetch(const std::byte* p, std::int64_t size_bytes) {
  for (std::int64_t i = 0; i < size_bytes; i += 64) __builtin_prefetch(p + i);
}

// Loads and stores. Addresses need no alignment.

CAIRN_INLINE const __m256i* lanes_at(const void* p) {
  return static_cast<const __m256i*>(p);
}
CAIRN_INLINE Floats load(const float* p) {
  return {_mm256_loadu_ps(p)};
}
CAIRN_INLINE void store(float* p, Floats a) {
  _mm256_storeu_ps(p, a.v);
}
CAIRN_INLINE Bytes load_bytes(const void* p) {
  return {_mm256_loadu_si256(lanes_at(p))};
}
CAIRN_INLINE void store(void* p, Bytes a) {
  _mm256_storeu_si256(static_cast<__m256i*>(p), a.v);
}

CAIRN_INLINE Ints first_lanes(std::int64_t count) {
  const __m256i index = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
  return {_mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(count)), index)};
}
/// The first `count` < 8 lanes; the others are zero and their memory is not touched.
CAIRN_INLINE Floats load_first(const float* p, std::int64_t count) {
  return {_mm256_maskload_ps(p, first_lanes(count).v)};
}
CAIRN_INLINE void store_first(float* p, Floats a, std::int64_t count) {
  _mm256_maskstore_ps(p, first_lanes(count).v, a.v);
}

CAIRN_INLINE Floats broadcast(float a) {
  return {_mm256_set1_ps(a)};
}
CAIRN_INLINE Floats zero_floats() {
  return {_mm256_setzero_ps()};
}
CAIRN_INLINE Ints zero_ints() {
  return {_mm256_setzero_si256()};
}
CAIRN_INLINE Ints broadcast_int(std::int32_t a) {
  return {_mm256_set1_epi32(a)};
}
CAIRN_INLINE Shorts broadcast_short(std::int16_t a) {
  return {_mm256_set1_epi16(a)};
}
CAIRN_INLINE Bytes broadcast_byte(std::int8_t a) {
  return {_mm256_set1_epi8(a)};
}
/// Four bytes, repeated.
CAIRN_INLINE Bytes broadcast_4_bytes(const void* p) {
  return {_mm256_castps_si256(_mm256_broadcast_ss(static_cast<const float*>(p)))};
}
/// Sixteen bytes, in both halves.
CAIRN_INLINE Bytes broadcast_16_bytes(const void* p) {
  return {_mm256_broadcastsi128_si256(_mm_loadu_si128(static_cast<const __m128i*>(p)))};
}

// f32

CAIRN_INLINE Floats operator+(Floats a, Floats b) {
  return {_mm256_add_ps(a.v, b.v)};
}
CAIRN_INLINE Floats operator-(Floats a, Floats b) {
  return {_mm256_sub_ps(a.v, b.v)};
}
CAIRN_INLINE Floats operator*(Floats a, Floats b) {
  return {_mm256_mul_ps(a.v, b.v)};
}
CAIRN_INLINE Floats operator/(Floats a, Floats b) {
  return {_mm256_div_ps(a.v, b.v)};
}
/// a * b + c
CAIRN_INLINE Floats multiply_add(Floats a, Floats b, Floats c) {
  return {_mm256_fmadd_ps(a.v, b.v, c.v)};
}
CAIRN_INLINE Floats max(Floats a, Floats b) {
  return {_mm256_max_ps(a.v, b.v)};
}
CAIRN_INLINE Floats min(Floats a, Floats b) {
  return {_mm256_min_ps(a.v, b.v)};
}
CAIRN_INLINE Floats absolute(Floats a) {
  return {_mm256_andnot_ps(_mm256_set1_ps(-0.0F), a.v)};
}
/// Magnitude of a, sign of b.
CAIRN_INLINE Floats with_sign_of(Floats a, Floats b) {
  const __m256 sign = _mm256_set1_ps(-0.0F);
  return {_mm256_or_ps(_mm256_andnot_ps(sign, a.v), _mm256_and_ps(sign, b.v))};
}
/// All bits of a lane where a < b.
CAIRN_INLINE Ints less(Floats a, Floats b) {
  return {_mm256_castps_si256(_mm256_cmp_ps(a.v, b.v, _CMP_LT_OQ))};
}
CAIRN_INLINE Floats select(Ints mask, Floats yes, Floats no) {
  return {_mm256_blendv_ps(no.v, yes.v, _mm256_castsi256_ps(mask.v))};
}
/// ((0+4)+(2+6)) + ((1+5)+(3+7))
CAIRN_INLINE float sum_of_lanes(Floats a) {
  const __m128 four = _mm_add_ps(_mm256_castps256_ps128(a.v), _mm256_extractf128_ps(a.v, 1));
  const __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
  return _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)));
}
CAIRN_INLINE float max_of_lanes(Floats a) {
  const __m128 four = _mm_max_ps(_mm256_castps256_ps128(a.v), _mm256_extractf128_ps(a.v, 1));
  const __m128 two = _mm_max_ps(four, _mm_movehl_ps(four, four));
  return _mm_cvtss_f32(_mm_max_ss(two, _mm_movehdup_ps(two)));
}
CAIRN_INLINE float square_root(float a) {
  return _mm_cvtss_f32(_mm_sqrt_ss(_mm_set_ss(a)));
}

// Conversions

CAIRN_INLINE Floats to_floats(Ints a) {
  return {_mm256_cvtepi32_ps(a.v)};
}
/// To the nearest, ties to even.
CAIRN_INLINE Ints round_to_ints(Floats a) {
  return {_mm256_cvtps_epi32(a.v)};
}
CAIRN_INLINE Ints truncate_to_ints(Floats a) {
  return {_mm256_cvttps_epi32(a.v)};
}
CAIRN_INLINE Floats bits_to_floats(Ints a) {
  return {_mm256_castsi256_ps(a.v)};
}
CAIRN_INLINE Ints floats_to_bits(Floats a) {
  return {_mm256_castps_si256(a.v)};
}
CAIRN_INLINE Floats load_f16(const std::uint16_t* p) {
  return {
      _mm256_cvtph_ps(_mm_loadu_si128(static_cast<const __m128i*>(static_cast<const void*>(p))))};
}
CAIRN_INLINE Floats load_bf16(const std::uint16_t* p) {
  const __m128i bits = _mm_loadu_si128(static_cast<const __m128i*>(static_cast<const void*>(p)));
  return {_mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(bits), 16))};
}
CAIRN_INLINE void store_f16(std::uint16_t* p, Floats a) {
  _mm_storeu_si128(static_cast<__m128i*>(static_cast<void*>(p)),
                   _mm256_cvtps_ph(a.v, _MM_FROUND_TO_NEAREST_INT));
}
/// Eight bytes as integers.
CAIRN_INLINE Ints load_8_unsigned(const void* p) {
  return {_mm256_cvtepu8_epi32(_mm_loadl_epi64(static_cast<const __m128i*>(p)))};
}
CAIRN_INLINE Ints load_8_signed(const void* p) {
  return {_mm256_cvtepi8_epi32(_mm_loadl_epi64(static_cast<const __m128i*>(p)))};
}
/// The low 8 bits of each lane.
CAIRN_INLINE void store_8_low_bytes(void* p, Ints a) {
  const __m256i low_bytes = _mm256_shuffle_epi8(a.v, _mm256_set1_epi32(0x0C080400));
  const __m128i packed =
      _mm_unpacklo_epi32(_mm256_castsi256_si128(low_bytes), _mm256_extracti128_si256(low_bytes, 1));
  _mm_storel_epi64(static_cast<__m128i*>(p), packed);
}
/// The low 16 bits of each lane.
CAIRN_INLINE void store_8_low_shorts(std::uint16_t* p, Ints a) {
  const __m256i low = _mm256_and_si256(a.v, _mm256_set1_epi32(0xFFFF));
  _mm_storeu_si128(static_cast<__m128i*>(static_cast<void*>(p)),
                   _mm_packus_epi32(_mm256_castsi256_si128(low), _mm256_extracti128_si256(low, 1)));
}

// i32

CAIRN_INLINE Ints operator+(Ints a, Ints b) {
  return {_mm256_add_epi32(a.v, b.v)};
}
CAIRN_INLINE Ints operator-(Ints a, Ints b) {
  return {_mm256_sub_epi32(a.v, b.v)};
}
CAIRN_INLINE Ints operator&(Ints a, Ints b) {
  return {_mm256_and_si256(a.v, b.v)};
}
CAIRN_INLINE Ints operator|(Ints a, Ints b) {
  return {_mm256_or_si256(a.v, b.v)};
}
template <int kBits>
CAIRN_INLINE Ints shift_left(Ints a) {
  return {_mm256_slli_epi32(a.v, kBits)};
}
template <int kBits>
CAIRN_INLINE Ints shift_right_unsigned(Ints a) {
  return {_mm256_srli_epi32(a.v, kBits)};
}
CAIRN_INLINE Ints greater(Ints a, Ints b) {
  return {_mm256_cmpgt_epi32(a.v, b.v)};
}

// i16 and bytes

CAIRN_INLINE Shorts operator+(Shorts a, Shorts b) {
  return {_mm256_add_epi16(a.v, b.v)};
}
/// a[2i] * b[2i] + a[2i+1] * b[2i+1]
CAIRN_INLINE Ints multiply_pairs(Shorts a, Shorts b) {
  return {_mm256_madd_epi16(a.v, b.v)};
}
/// The same for unsigned bytes a and signed bytes b. The sum must fit 16 bits.
CAIRN_INLINE Shorts multiply_pairs(Bytes a, Bytes b) {
  return {_mm256_maddubs_epi16(a.v, b.v)};
}
CAIRN_INLINE Bytes operator&(Bytes a, Bytes b) {
  return {_mm256_and_si256(a.v, b.v)};
}
CAIRN_INLINE Bytes operator|(Bytes a, Bytes b) {
  return {_mm256_or_si256(a.v, b.v)};
}
/// Shifts 16-bit lanes: what crosses a byte must be masked off.
template <int kBits>
CAIRN_INLINE Bytes shift_right(Bytes a) {
  return {_mm256_srli_epi16(a.v, kBits)};
}
template <int kBits>
CAIRN_INLINE Bytes shift_left(Bytes a) {
  return {_mm256_slli_epi16(a.v, kBits)};
}
/// |a| as unsigned bytes.
CAIRN_INLINE Bytes absolute(Bytes a) {
  return {_mm256_abs_epi8(a.v)};
}
/// a where b > 0, -a where b < 0, 0 where b = 0. a must not be -128.
CAIRN_INLINE Bytes negate_by(Bytes a, Bytes b) {
  return {_mm256_sign_epi8(a.v, b.v)};
}
/// table[index] within each half of 16 bytes; index in 0..15.
CAIRN_INLINE Bytes look_up(Bytes table, Bytes index) {
  return {_mm256_shuffle_epi8(table.v, index.v)};
}

}  // namespace cairn::backend::cpu::CAIRN_ISA
