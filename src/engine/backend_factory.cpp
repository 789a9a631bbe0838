#include "engine/backend_factory.h"

#include "backend/cpu/cpu_backend.h"
#include "backend/reference/reference_backend.h"
#include "base/error.h"

namespace cairn::engine {

std::unique_ptr<backend::Backend> make_backend(std::string_view name, Context& context) {
  if (name == "cpu") return backend::make_cpu_backend(context);
  if (name == "reference") return backend::make_reference_backend(context);
  fail(ErrorKind::invalid_argument, "backend: found '{}', expected cpu or reference", name);
}

}  // namespace cairn::engine
