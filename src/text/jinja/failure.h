#pragma once
// Why a template was refused, thrown inside the engine only. Template adds line and column and
// turns it into the project's Error at its border.

#include <fmt/format.h>

#include <cstdint>
#include <exception>
#include <string>
#include <utility>

namespace cairn::text::jinja {

/// A place in the template's source; both count from 1, columns in code points.
struct Position {
  std::uint32_t line = 1;
  std::uint32_t column = 1;
};

class Failure : public std::exception {
 public:
  explicit Failure(std::string message) : message_(std::move(message)) {}
  const std::string& message() const { return message_; }
  const char* what() const noexcept override { return message_.c_str(); }

 private:
  std::string message_;
};

/// A failure of the source itself, which knows its place.
class SyntaxFailure : public Failure {
 public:
  SyntaxFailure(Position position, std::string message)
      : Failure(std::move(message)), position_(position) {}
  Position position() const { return position_; }

 private:
  Position position_;
};

template <class... Args>
[[noreturn]] void refuse(fmt::format_string<Args...> format, Args&&... args) {
  throw Failure(fmt::format(format, std::forward<Args>(args)...));
}

template <class... Args>
[[noreturn]] void refuse_at(Position position, fmt::format_string<Args...> format, Args&&... args) {
  throw SyntaxFailure(position, fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace cairn::text::jinja
