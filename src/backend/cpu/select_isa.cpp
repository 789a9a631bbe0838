#include "backend/cpu/select_isa.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include <cstdlib>
#include <string>
#include <string_view>

#include "base/error.h"

namespace cairn::backend::cpu {

#if defined(__x86_64__)
namespace avx512 {
extern const KernelTable kTable;
}
namespace avx2 {
extern const KernelTable kTable;
}
#endif
namespace portable {
extern const KernelTable kTable;
}

namespace {

struct Isa {
  const KernelTable& table;
  bool (*runs_here)();
};

#if defined(__x86_64__)
bool has_f16c() {  // clang's __builtin_cpu_supports does not know it
  unsigned eax = 0;
  unsigned ebx = 0;
  unsigned ecx = 0;
  unsigned edx = 0;
  return __get_cpuid(1, &eax, &ebx, &ecx, &edx) != 0 && (ecx & bit_F16C) != 0;
}

bool has_avx2() {
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0 &&
         __builtin_cpu_supports("bmi2") != 0 && has_f16c();
}

bool has_avx512() {  // the builtin asks for the system's consent too
  return has_avx2() && __builtin_cpu_supports("avx512f") != 0 &&
         __builtin_cpu_supports("avx512bw") != 0 && __builtin_cpu_supports("avx512dq") != 0 &&
         __builtin_cpu_supports("avx512vl") != 0 && __builtin_cpu_supports("avx512vnni") != 0;
}
#endif

const Isa kIsas[] = {
#if defined(__x86_64__)
    {avx512::kTable, has_avx512},
    {avx2::kTable, has_avx2},
#endif
    {portable::kTable, [] { return true; }},
};

}  // namespace

IsaList usable_isas() {
  IsaList list;
  for (const Isa& isa : kIsas) {
    if (isa.runs_here()) list.tables[list.count++] = &isa.table;
  }
  return list;
}

const KernelTable& select_isa() {
  const IsaList usable = usable_isas();
  const char* wanted = std::getenv("CAIRN_ISA");
  if (wanted == nullptr || *wanted == '\0') return *usable.tables[0];
  std::string names;
  for (int i = 0; i < usable.count; ++i) {
    if (std::string_view(usable.tables[i]->name) == wanted) return *usable.tables[i];
    names += (i == 0 ? "" : ", ") + std::string(usable.tables[i]->name);
  }
  fail(ErrorKind::invalid_argument,
       "CAIRN_ISA={}: no such instruction set on this processor; use one of {}, or unset it",
       wanted, names);
}

}  // namespace cairn::backend::cpu
