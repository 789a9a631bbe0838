// The kernels for any processor.
#define CAIRN_ISA portable
#define CAIRN_ISA_NAME "portable"
#include "backend/cpu/kernels/all.inl"
