#pragma once
// CHECK(condition, "format", values...): a bug stops the process and prints the values it had.
// Never reachable by input: what input can cause is an Error (error.h). Stays on in release.

#include <fmt/format.h>

#include <string>

namespace cairn::base {

[[noreturn]] void check_failed(const char* file, int line, const char* condition,
                               const std::string& values);

}  // namespace cairn::base

#define CHECK(condition, ...)                                                                     \
  do {                                                                                            \
    if (!(condition)) [[unlikely]]                                                                \
      ::cairn::base::check_failed(__FILE__, __LINE__, #condition, ::fmt::format("" __VA_ARGS__)); \
  } while (false)
