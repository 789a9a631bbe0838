#include "engine/backend_factory.h"

#if __has_include("backend/cpu/cpu_backend.h")
#include "backend/cpu/cpu_backend.h"
#define CAIRN_CPU 1
#endif
#include "backend/reference/reference_backend.h"
#include "base/error.h"

namespace cairn::engine {

std::unique_ptr<backend::Backend> make_backend(std::string_view name, Context& context) {
#ifdef CAIRN_CPU
  if (name == "cpu") return backend::make_cpu_backend(context);
#endif
  if (name == "reference") return backend::make_reference_backend(context);
  fail(ErrorKind::invalid_argument, "backend: found '{}', expected cpu or reference", name);
}

}  // namespace cairn::engine
