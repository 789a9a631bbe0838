#pragma once
// What `cairn pull` is asked for, taken apart.

#include <string>
#include <variant>

#include "cli/http_transport.h"
#include "cli/known_models.h"

namespace cairn::cli {

/// A file behind an address.
struct RemoteFile {
  HttpRequest http;
  std::string stem;  // its name in the cache, without ".gguf"; empty if the address gives none
  std::string access_hint;
};

using PullSource = std::variant<const KnownModel*, RemoteFile>;

/// A known name, "https://...", or "hf:owner/repository/file" (HF_ENDPOINT, HF_TOKEN). Throws
/// not_found that lists what is known, or invalid_argument that shows the form.
PullSource parse_pull_source(const std::string& text);

/// Throws invalid_argument unless `stem` can be a file's name in the cache: letters, digits and
/// ._-+, not starting with a dot, at most 200 characters.
void check_stem(const std::string& stem);

}  // namespace cairn::cli
