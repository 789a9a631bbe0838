#pragma once
// The one error mechanism: anything a user, a file, a socket or a device can cause is an Error,
// thrown at load, parse and API level and caught at three borders (command line, HTTP handler,
// per request in the engine). Bugs are no errors: they hit CHECK (check.h).

#include <fmt/format.h>

#include <exception>
#include <string>
#include <utility>

namespace cairn::base {

enum class ErrorKind {
  invalid_argument,  // the caller's value is wrong
  not_found,         // a file, model, tensor or key is missing
  corrupt,           // a file's content contradicts itself or its length
  unsupported,       // well-formed, but nothing here runs it
  out_of_memory,     // does not fit; the message says what would
  io,                // the operating system or the network refused
  unavailable,       // full or shutting down: try again later
  cancelled,
};

/// The name of a kind as users and logs see it, e.g. "invalid_argument".
const char* name_of(ErrorKind kind);

/// A message names the file, key or field; what was found; what was expected; what to do.
class Error : public std::exception {
 public:
  Error(ErrorKind kind, std::string message) : kind_(kind), message_(std::move(message)) {}
  ErrorKind kind() const { return kind_; }
  const std::string& message() const { return message_; }
  const char* what() const noexcept override { return message_.c_str(); }

 private:
  ErrorKind kind_;
  std::string message_;
};

template <class... Args>
[[noreturn]] void fail(ErrorKind kind, fmt::format_string<Args...> format, Args&&... args) {
  throw Error(kind, fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace cairn::base

namespace cairn {
using base::Error;
using base::ErrorKind;
using base::fail;
}  // namespace cairn
