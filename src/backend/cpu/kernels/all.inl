// Everything that is compiled once per ISA, in order of use. Included by the files in isa/ only.
// clang-format off
#include "backend/cpu/kernel_table.h"
#include "backend/cpu/simd.h"
#include "backend/cpu/kernels/math.inl"
#include "backend/cpu/kernels/rows.inl"
#include "backend/cpu/kernels/multiply_floats.inl"
#include "backend/cpu/kernels/packings.inl"
#include "backend/cpu/kernels/scales.inl"
#include "backend/cpu/kernels/code_formats.inl"
#include "backend/cpu/kernels/panels.inl"
#if CAIRN_HAS_BYTE_DOTS
#include "backend/cpu/kernels/dots_of_fours.inl"
#else
#include "backend/cpu/kernels/dots_of_pairs.inl"
#endif
#include "backend/cpu/kernels/multiply_codes.inl"
#include "backend/cpu/kernels/query_groups.inl"
#include "backend/cpu/kernels/attention.inl"
#include "backend/cpu/kernels/kv_blocks.inl"
#include "backend/cpu/kernels/attention_blocks.inl"
#include "backend/cpu/kernels/table.inl"
// clang-format on
