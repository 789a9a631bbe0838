#include "cli/line_reader.h"

#include <editline/readline.h>

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <memory>

#include "cli/interrupt.h"
#include "cli/terminal.h"

namespace cairn::cli {
namespace {

constexpr int kKeptLines = 1000;

struct FreeLine {
  void operator()(char* line) const { std::free(line); }
};

}  // namespace

LineReader::LineReader(std::string history_file)
    : history_file_(std::move(history_file)), interactive_(is_terminal(stdin)) {
  if (!interactive_) return;
  using_history();
  stifle_history(kKeptLines);
  if (!history_file_.empty()) read_history(history_file_.c_str());
}

LineReader::~LineReader() {
  if (interactive_ && !history_file_.empty()) write_history(history_file_.c_str());
}

LineReader::End LineReader::read(const std::string& prompt, std::string& line) {
  if (!interactive_) {
    return std::getline(std::cin, line) ? End::line : End::input_ended;
  }
  InterruptGuard::clear();
  const std::unique_ptr<char, FreeLine> typed(readline(prompt.c_str()));
  if (InterruptGuard::requested()) {
    InterruptGuard::clear();
    std::fputc('\n', stdout);
    return End::interrupted;
  }
  if (!typed) return End::input_ended;
  line = typed.get();
  if (!line.empty()) add_history(line.c_str());
  return End::line;
}

}  // namespace cairn::cli
