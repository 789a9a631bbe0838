#include "cli/paths.h"

#include <cstdlib>
#include <string>

#include "base/error.h"

namespace cairn::cli {

std::filesystem::path cache_folder() {
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && *cache != '\0')
    return std::filesystem::path(cache) / "cairn";
  if (const char* home = std::getenv("HOME"); home != nullptr && *home != '\0')
    return std::filesystem::path(home) / ".cache" / "cairn";
  fail(ErrorKind::invalid_argument,
       "no cache folder: neither XDG_CACHE_HOME nor HOME is set; set XDG_CACHE_HOME to a folder "
       "that "
       "may be written");
}

}  // namespace cairn::cli
