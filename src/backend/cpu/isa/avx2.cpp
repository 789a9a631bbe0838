// The kernels for AVX2, FMA and F16C; the flags stand in src/backend/CMakeLists.txt.
#if defined(__x86_64__)
#define CAIRN_ISA avx2
#define CAIRN_ISA_NAME "avx2"
#include "backend/cpu/kernels/all.inl"
#endif
