#pragma once
// For tests: a loaded model with threads of its own, without its tokenizer.

#include <filesystem>
#include <string>

#include "engine/loaded_model.h"

namespace cairn::engine {

struct Loaded {
  explicit Loaded(const std::filesystem::path& path, const std::string& backend = "cpu",
                  int threads = 2)
      : pool(threads), context{pool, clock, log}, model(path, options(backend), context) {}
  static LoadOptions options(const std::string& backend) {
    LoadOptions options;
    options.backend = backend;
    options.needs_tokenizer = false;
    return options;
  }
  base::ThreadPool pool;
  base::SystemClock clock;
  base::Log log{base::LogLevel::off};
  Context context;
  LoadedModel model;
};

}  // namespace cairn::engine
