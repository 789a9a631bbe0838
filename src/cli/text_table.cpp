#include "cli/text_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"

namespace cairn::cli {

void TextTable::add_row(std::vector<std::string> cells) {
  CHECK(cells.size() == columns_.size(), "{} cells, {} columns", cells.size(), columns_.size());
  rows_.push_back(std::move(cells));
}

std::string TextTable::text() const {
  std::vector<std::vector<std::string>> lines;
  lines.emplace_back();
  for (const Column& column : columns_) lines.back().push_back(column.title);
  lines.insert(lines.end(), rows_.begin(), rows_.end());

  std::vector<std::size_t> widths(columns_.size(), 0);
  for (const auto& line : lines)
    for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], line[i].size());

  std::string text;
  for (const auto& line : lines) {
    std::string row;
    for (std::size_t i = 0; i < line.size(); ++i) {
      if (i > 0) row += "  ";
      row += columns_[i].align == Align::left ? fmt::format("{:<{}}", line[i], widths[i])
                                              : fmt::format("{:>{}}", line[i], widths[i]);
    }
    row.erase(row.find_last_not_of(' ') + 1);
    text += row + "\n";
  }
  return text;
}

}  // namespace cairn::cli
