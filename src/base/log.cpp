#include "base/log.h"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

namespace cairn::base {
namespace {

spdlog::logger& standard_error() {
  static const auto logger = [] {
    auto made = std::make_shared<spdlog::logger>(
        "cairn", std::make_shared<spdlog::sinks::stderr_color_sink_mt>());
    made->set_level(spdlog::level::trace);  // Log filters before it formats
    made->set_pattern("%^%l%$: %v");
    return made;
  }();
  return *logger;
}

spdlog::level::level_enum severity(LogLevel level) {
  switch (level) {
    case LogLevel::debug:
      return spdlog::level::debug;
    case LogLevel::info:
      return spdlog::level::info;
    case LogLevel::warning:
      return spdlog::level::warn;
    case LogLevel::error:
      return spdlog::level::err;
    case LogLevel::off:
      return spdlog::level::off;
  }
  return spdlog::level::err;
}

}  // namespace

void Log::emit(LogLevel level, std::string_view message) {
  standard_error().log(severity(level), message);
}

}  // namespace cairn::base
