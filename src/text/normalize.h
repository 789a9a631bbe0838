#pragma once
// Unicode normalization form C: what several models did to their training text.

#include <string>
#include <string_view>

namespace cairn::text {

/// `text` (valid UTF-8) in NFC, appended to `result`. Linear in the text up to a sort of each run
/// of combining marks. False, and nothing appended, where the text is surely composed already.
bool compose_utf8(std::string_view text, std::string& result);

}  // namespace cairn::text
