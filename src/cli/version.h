#pragma once
// What --version prints: cairn's version, the instruction set it chose, and its libraries.

#include <string>

namespace cairn::cli {

std::string version_text();

}  // namespace cairn::cli
