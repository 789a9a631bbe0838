#pragma once
// The registers that kernels are written against: 256 bits, whatever the processor has. A file in
// isa/ names its namespace (CAIRN_ISA) and includes kernels/*.inl, which include this.
//
// Everything lives in that namespace and is always inlined, so that no function compiled with one
// ISA's flags can be linked into another's code. For the same reason kernels use no std::
// functions.
//
//   Floats   8 x f32      Ints    8 x i32      Shorts  16 x i16      Bytes  32 x u8 or i8
//
// Arithmetic contract, the same in every implementation: multiply_add is one rounding where the ISA
// has it and two where it has not (an ISA's results agree with themselves only, DESIGN N1); integer
// operations are exact as long as the caller stays within their width.

#ifndef CAIRN_ISA
#error "CAIRN_ISA names the namespace of the ISA that is being compiled"
#endif

#define CAIRN_INLINE __attribute__((always_inline)) inline
/// Before a loop over a tile: only what is unrolled stays in registers.
#define CAIRN_UNROLL _Pragma("GCC unroll 16")

#if defined(__AVX512VNNI__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && \
    defined(__AVX512VL__)
#define CAIRN_HAS_BYTE_DOTS 1
#include "backend/cpu/simd_avx512.h"
#elif defined(__AVX2__) && defined(__FMA__) && defined(__F16C__)
#define CAIRN_HAS_BYTE_DOTS 0
#include "backend/cpu/simd_avx2.h"
#else
#define CAIRN_HAS_BYTE_DOTS 0
#include "backend/cpu/simd_portable.h"
#endif
