#pragma once
// The answers of a batch on their way into the output: written to OUTPUT.journal one after the
// other as they come, so that a run that was killed goes on where it was, and sorted into OUTPUT in
// the order of the input at the end.
//
//   cairn batch journal 1 <fingerprint>
//   <number of the input line> TAB <line of output>
//   ...
//
// What stands after the last line break was cut by a kill and is dropped.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace cairn::cli {

class BatchJournal {
 public:
  /// Opens or makes the journal beside `output`. Throws io, or invalid_argument where a journal
  /// stands there that was begun with another fingerprint.
  BatchJournal(std::string output, std::uint64_t fingerprint);
  ~BatchJournal();
  BatchJournal(const BatchJournal&) = delete;
  BatchJournal& operator=(const BatchJournal&) = delete;

  bool has(std::int64_t number) const { return answers_.contains(number); }
  std::int64_t size() const { return static_cast<std::int64_t>(answers_.size()); }

  /// With the next answer on the way to the file before this returns. Throws io.
  void add(std::int64_t number, std::string_view answer);

  /// Writes the output whole or not at all, and removes the journal. Throws io.
  void finish();

 private:
  struct Place {
    std::int64_t offset;
    std::int64_t size_bytes;
  };
  void read_back(const std::string& header);
  void write(std::string_view text);

  std::string output_;
  std::string path_;
  int file_ = -1;
  std::int64_t end_ = 0;
  std::map<std::int64_t, Place> answers_;  // by line number
};

}  // namespace cairn::cli
