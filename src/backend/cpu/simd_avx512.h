#pragma once
// simd.h on AVX-512 with VNNI: the registers of simd_avx2.h, of which there are 32 here, and twice
// as wide ones for tiles of products. Products of bytes meet 32-bit sums in one instruction.
//
//   WideFloats  16 x f32      WideInts  16 x i32      WideBytes  64 x u8

#include "backend/cpu/simd_avx2.h"

namespace cairn::backend::cpu::CAIRN_ISA {

struct WideFloats {
  __m512 v;
};
struct WideInts {
  __m512i v;
};
struct WideBytes {
  __m512i v;
};

/// Four bytes that an instruction reads and repeats by itself.
struct FourBytes {
  std::int8_t bytes[4];
};
CAIRN_INLINE const FourBytes& four_bytes_at(const std::int8_t* p) {
  return *static_cast<const FourBytes*>(static_cast<const void*>(p));
}

/// sums + a[4i] * b[0] + ... + a[4i+3] * b[3] for unsigned bytes a and signed bytes b.
// Compilers would load and repeat b apart, which doubles the instructions.
CAIRN_INLINE Ints add_products_of_4(Ints sums, Bytes a, const std::int8_t* b) {
  asm("vpdpbusd %2%{1to8%}, %1, %0" : "+v"(sums.v) : "v"(a.v), "m"(four_bytes_at(b)));
  return sums;
}
CAIRN_INLINE WideInts add_products_of_4(WideInts sums, WideBytes a, const std::int8_t* b) {
  asm("vpdpbusd %2%{1to16%}, %1, %0" : "+v"(sums.v) : "v"(a.v), "m"(four_bytes_at(b)));
  return sums;
}

/// Modulo 256.
CAIRN_INLINE Bytes operator+(Bytes a, Bytes b) {
  return {_mm256_add_epi8(a.v, b.v)};
}

CAIRN_INLINE WideFloats operator*(WideFloats a, WideFloats b) {
  return {_mm512_mul_ps(a.v, b.v)};
}
/// a * b + c
CAIRN_INLINE WideFloats multiply_add(WideFloats a, WideFloats b, WideFloats c) {
  return {_mm512_fmadd_ps(a.v, b.v, c.v)};
}
CAIRN_INLINE WideFloats to_floats(WideInts a) {
  return {_mm512_cvtepi32_ps(a.v)};
}

CAIRN_INLINE WideFloats load_16(const float* p) {
  return {_mm512_loadu_ps(p)};
}
CAIRN_INLINE void store(float* p, WideFloats a) {
  _mm512_storeu_ps(p, a.v);
}

/// Two registers side by side.
CAIRN_INLINE WideBytes join(Bytes low, Bytes high) {
  return {_mm512_inserti64x4(_mm512_castsi256_si512(low.v), high.v, 1)};
}
CAIRN_INLINE WideFloats join(Floats low, Floats high) {
  return {_mm512_insertf32x8(_mm512_castps256_ps512(low.v), high.v, 1)};
}

/// What a tile is made of: one group of rows in a register, or two.
struct OneGroup {
  using Bytes = CAIRN_ISA::Bytes;
  using Ints = CAIRN_ISA::Ints;
  using Floats = CAIRN_ISA::Floats;
  static CAIRN_INLINE Floats broadcast(float a) { return {_mm256_set1_ps(a)}; }
  static CAIRN_INLINE Ints broadcast_int(std::int32_t a) { return {_mm256_set1_epi32(a)}; }
};
struct TwoGroups {
  using Bytes = WideBytes;
  using Ints = WideInts;
  using Floats = WideFloats;
  static CAIRN_INLINE Floats broadcast(float a) { return {_mm512_set1_ps(a)}; }
  static CAIRN_INLINE Ints broadcast_int(std::int32_t a) { return {_mm512_set1_epi32(a)}; }
};

}  // namespace cairn::backend::cpu::CAIRN_ISA
