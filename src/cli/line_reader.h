#pragma once
// A line from a person: editing and history on a terminal, plain lines from a pipe.

#include <optional>
#include <string>

namespace cairn::cli {

class LineReader {
 public:
  /// History is kept in `history_file` between runs; empty: not kept.
  explicit LineReader(std::string history_file);
  ~LineReader();
  LineReader(const LineReader&) = delete;
  LineReader& operator=(const LineReader&) = delete;

  enum class End { line, interrupted, input_ended };
  /// REQUIRES: an InterruptGuard lives. Ctrl-C gives `interrupted`, Ctrl-D on an empty line
  /// `input_ended`.
  End read(const std::string& prompt, std::string& line);

 private:
  std::string history_file_;
  bool interactive_;
};

}  // namespace cairn::cli
