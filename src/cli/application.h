#pragma once
// The command line as a function: parses, runs one command, and is the border where errors end.

namespace cairn::cli {

/// Runs the command that `arguments` name and returns the process's exit code (exit_code.h). Errors
/// are printed as one line on stderr. Call it once a process: it installs no state but reads the
/// environment.
int run_application(int argument_count, const char* const* arguments);

}  // namespace cairn::cli
