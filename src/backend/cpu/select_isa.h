#pragma once
// The kernels for this processor, chosen once.

#include "backend/cpu/kernel_table.h"

namespace cairn::backend::cpu {

/// Every table that this processor can run, best first; never empty.
struct IsaList {
  const KernelTable* tables[4] = {};
  int count = 0;
};
IsaList usable_isas();

/// The best, or the one that the environment variable CAIRN_ISA names. Throws invalid_argument
/// where that is unknown or this processor cannot run it.
const KernelTable& select_isa();

}  // namespace cairn::backend::cpu
