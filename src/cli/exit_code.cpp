#include "cli/exit_code.h"

namespace cairn::cli {

ExitCode exit_code_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::invalid_argument:
      return ExitCode::usage;
    case ErrorKind::not_found:
      return ExitCode::not_found;
    case ErrorKind::corrupt:
    case ErrorKind::unsupported:
      return ExitCode::bad_content;
    case ErrorKind::out_of_memory:
    case ErrorKind::io:
      return ExitCode::system;
    case ErrorKind::cancelled:
      return ExitCode::interrupted;
    case ErrorKind::unavailable:
      return ExitCode::failure;
  }
  return ExitCode::failure;
}

}  // namespace cairn::cli
