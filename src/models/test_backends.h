#pragma once
// For tests: every backend that computes, by name, with threads of its own.

#include <memory>
#include <string>
#include <vector>

#include "backend/reference/reference_backend.h"
#include "base/context.h"
#if __has_include("backend/cpu/cpu_backend.h")
#include "backend/cpu/cpu_backend.h"
#endif

namespace cairn::models {

class TestBackend {
 public:
  explicit TestBackend(const std::string& name, int workers = 2)
      : threads_(workers), context_{threads_, clock_, log_} {
#if __has_include("backend/cpu/cpu_backend.h")
    if (name == "cpu") {
      backend_ = backend::make_cpu_backend(context_);
      return;
    }
#endif
    CHECK(name == "reference", "{}", name);
    backend_ = backend::make_reference_backend(context_);
  }
  backend::Backend& operator*() {
    return *backend_;
  }
  Context& context() {
    return context_;
  }

  static std::vector<std::string> names() {
#if __has_include("backend/cpu/cpu_backend.h")
    return {"reference", "cpu"};
#else
    return {"reference"};
#endif
  }

 private:
  base::ThreadPool threads_;
  base::SystemClock clock_;
  base::Log log_{base::LogLevel::off};
  Context context_;
  std::unique_ptr<backend::Backend> backend_;
};

}  // namespace cairn::models
