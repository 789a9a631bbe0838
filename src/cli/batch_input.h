#pragma once
// The lines of a batch's input file, read twice: once for their count and a fingerprint, then one
// by one.

#include <cstdint>
#include <fstream>
#include <string>
#include <string_view>

namespace cairn::cli {

class BatchInput {
 public:
  /// Throws not_found or io.
  explicit BatchInput(std::string path);

  /// Lines that are not blank.
  std::int64_t line_count() const { return line_count_; }
  /// Of the file's bytes and `options`.
  std::uint64_t fingerprint(std::string_view options) const;

  /// The next line that is not blank and its number, from 1 on; 0 at the end. Throws io.
  std::int64_t next(std::string& line);
  bool at_end() const { return at_end_; }

 private:
  bool read_line(std::string& line);

  std::string path_;
  std::ifstream file_;
  std::int64_t line_count_ = 0;
  std::uint64_t hash_ = 0;
  std::int64_t number_ = 0;  // of the last line that was read
  bool at_end_ = false;
};

}  // namespace cairn::cli
