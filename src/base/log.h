#pragma once
// Log lines go to stderr through spdlog, which stays out of this header. Thread-safe. A log holds
// no prompt and no generated text.

#include <fmt/format.h>

#include <string_view>
#include <utility>

namespace cairn::base {

enum class LogLevel { debug, info, warning, error, off };

class Log {
 public:
  explicit Log(LogLevel level = LogLevel::warning) : level_(level) {}

  template <class... Args>
  void debug(fmt::format_string<Args...> format, Args&&... args) const {
    write(LogLevel::debug, format, std::forward<Args>(args)...);
  }
  template <class... Args>
  void info(fmt::format_string<Args...> format, Args&&... args) const {
    write(LogLevel::info, format, std::forward<Args>(args)...);
  }
  template <class... Args>
  void warning(fmt::format_string<Args...> format, Args&&... args) const {
    write(LogLevel::warning, format, std::forward<Args>(args)...);
  }
  template <class... Args>
  void error(fmt::format_string<Args...> format, Args&&... args) const {
    write(LogLevel::error, format, std::forward<Args>(args)...);
  }

 private:
  template <class... Args>
  void write(LogLevel level, fmt::format_string<Args...> format, Args&&... args) const {
    if (level >= level_) emit(level, fmt::format(format, std::forward<Args>(args)...));
  }
  static void emit(LogLevel level, std::string_view message);

  LogLevel level_;
};

}  // namespace cairn::base
