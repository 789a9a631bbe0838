#pragma once
// Rows of cells in aligned columns. Used by one thread.

#include <string>
#include <vector>

namespace cairn::cli {

class TextTable {
 public:
  enum class Align { left, right };
  struct Column {
    std::string title;
    Align align = Align::left;
  };

  explicit TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}
  /// REQUIRES: one cell a column.
  void add_row(std::vector<std::string> cells);
  /// A line of titles and a line a row, columns two spaces apart, no trailing space.
  std::string text() const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace cairn::cli
