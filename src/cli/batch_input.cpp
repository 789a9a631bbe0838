#include "cli/batch_input.h"

#include <xxhash.h>

#include <filesystem>

#include "base/error.h"

namespace cairn::cli {
namespace {

bool is_blank(const std::string& line) {
  return line.find_first_not_of(" \t\r") == std::string::npos;
}

}  // namespace

BatchInput::BatchInput(std::string path) : path_(std::move(path)), file_(path_) {
  std::error_code error;
  if (!std::filesystem::exists(path_, error)) {
    fail(ErrorKind::not_found, "{}: no such file; --input names the requests", path_);
  }
  if (!file_ || std::filesystem::is_directory(path_, error)) {
    fail(ErrorKind::io, "{}: cannot open", path_);
  }
  for (std::string line; read_line(line);) {
    if (!is_blank(line)) ++line_count_;
    hash_ = XXH64(line.data(), line.size(), hash_ + 1);
  }
  file_.clear();
  file_.seekg(0);
  if (!file_) fail(ErrorKind::io, "{}: must be a file, since it is read twice", path_);
}

std::uint64_t BatchInput::fingerprint(std::string_view options) const {
  return XXH64(options.data(), options.size(), hash_);
}

std::int64_t BatchInput::next(std::string& line) {
  while (read_line(line)) {
    ++number_;
    if (!is_blank(line)) return number_;
  }
  at_end_ = true;
  return 0;
}

bool BatchInput::read_line(std::string& line) {
  if (std::getline(file_, line)) return true;
  if (file_.bad()) fail(ErrorKind::io, "{}: cannot read", path_);
  return false;
}

}  // namespace cairn::cli
