#pragma once
// A text file read line by line: files of any length take the memory of their longest line.

#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>

namespace cairn::cli {

class LineFile {
 public:
  /// "-" or empty: standard input. Throws not_found or io.
  explicit LineFile(const std::string& path);
  ~LineFile();
  LineFile(const LineFile&) = delete;
  LineFile& operator=(const LineFile&) = delete;

  /// False at the end. The line comes without its newline and lives until the next call. Throws io.
  bool next(std::string_view& line);
  /// Of the line that next() gave last; the first is 1.
  std::size_t number() const { return number_; }

 private:
  std::string name_;
  std::FILE* file_;
  char* buffer_ = nullptr;  // belongs to getline
  std::size_t capacity_ = 0;
  std::size_t number_ = 0;
};

}  // namespace cairn::cli
