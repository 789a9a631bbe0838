#pragma once
// Runs another program and collects what it says.

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/function_ref.h"

namespace cairn::cli {

struct SubprocessResult {
  int exit_code = 0;   // 128 + the signal if one ended it
  std::string output;  // the last 64 KiB of stdout and stderr, as they came
};

/// Runs arguments[0], found in PATH, with `environment` added to ours; calls `while_waiting` about
/// five times a second. Throws not_found if there is no such program.
SubprocessResult run_subprocess(const std::vector<std::string>& arguments,
                                std::span<const std::pair<std::string, std::string>> environment,
                                base::FunctionRef<void()> while_waiting);

}  // namespace cairn::cli
