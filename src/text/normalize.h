#pragma once
// Unicode normalization form C: what several models did to their training text.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cairn::text {

/// A stretch that composition changed; what lies between two of them is equal byte for byte.
struct ComposedRange {
  std::uint32_t begin = 0;  // in the result
  std::uint32_t end = 0;
  std::uint32_t source_begin = 0;  // in the text
  std::uint32_t source_end = 0;
};

/// `text` (valid UTF-8) in NFC, appended to `result`. Linear in the text up to a sort of each run
/// of combining marks. False, and nothing appended, where the text is composed already. Appends
/// what changed to `changes` (ascending; offsets count from the end of the old `result`), if given.
bool compose_utf8(std::string_view text, std::string& result,
                  std::vector<ComposedRange>* changes = nullptr);

}  // namespace cairn::text
