#pragma once
// Folders that commands read and write.

#include <filesystem>

namespace cairn::cli {

/// $XDG_CACHE_HOME/cairn, else ~/.cache/cairn. Need not exist. Throws invalid_argument where
/// neither XDG_CACHE_HOME nor HOME is set.
std::filesystem::path cache_folder();

}  // namespace cairn::cli
