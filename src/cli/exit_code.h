#pragma once
// What the process's exit code says.

#include "base/error.h"

namespace cairn::cli {

enum class ExitCode : int {
  success = 0,
  failure = 1,       // anything else
  usage = 2,         // a wrong flag or value
  not_found = 3,     // no such file, model or key
  bad_content = 4,   // a file that is damaged, or that nothing here runs
  system = 5,        // the disk, the network or memory
  interrupted = 130  // Ctrl-C: 128 + SIGINT
};

ExitCode exit_code_of(ErrorKind kind);

}  // namespace cairn::cli
