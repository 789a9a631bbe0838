#pragma once
// For tests: every backend that computes, by name, with threads of its own.

#include <memory>
#include <string>
#include <vector>

#include "backend/cpu/cpu_backend.h"
#include "backend/reference/reference_backend.h"
#include "base/context.h"

namespace cairn::models {

class TestBackend {
 public:
  explicit TestBackend(const std::string& name, int workers = 1)
      : threads_(workers), context_{threads_, clock_, log_} {
    CHECK(name == "reference" || name == "cpu", "{}", name);
    backend_ = name == "cpu" ? backend::make_cpu_backend(context_)
                             : backend::make_reference_backend(context_);
  }
  backend::Backend& operator*() { return *backend_; }
  Context& context() { return context_; }

  static std::vector<std::string> names() { return {"reference", "cpu"}; }

 private:
  base::ThreadPool threads_;
  base::SystemClock clock_;
  base::Log log_{base::LogLevel::off};
  Context context_;
  std::unique_ptr<backend::Backend> backend_;
};

}  // namespace cairn::models
