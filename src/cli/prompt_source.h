#pragma once
// Text that a command works on: an argument, a file, or standard input.

#include <optional>
#include <string>

namespace cairn::cli {

/// The argument if given, else the file if named, else standard input unless it is a terminal. At
/// most one of the two may be given. Throws invalid_argument where there is none or it is empty,
/// not_found or io for the file. `what` names it in messages: "prompt".
std::string read_text(const std::optional<std::string>& argument, const std::string& file,
                      const char* what);

/// The whole file, or standard input for "-". Throws not_found or io.
std::string read_file(const std::string& path);

}  // namespace cairn::cli
