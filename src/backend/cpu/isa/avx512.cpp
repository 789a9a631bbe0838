// The kernels for AVX-512 with VNNI; the flags stand in src/backend/CMakeLists.txt.
#if defined(__x86_64__)
#define CAIRN_ISA avx512
#define CAIRN_ISA_NAME "avx512"
#include "backend/cpu/kernels/all.inl"
#endif
