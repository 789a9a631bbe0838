#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace cairn::base {

void check_failed(const char* file, int line, const char* condition, const std::string& values) {
  std::fprintf(stderr, "cairn: bug at %s:%d: %s is false. %s\n", file, line, condition,
               values.c_str());
  std::abort();
}

}  // namespace cairn::base
