#include "cli/version.h"

#include <curl/curl.h>
#include <fmt/format.h>
#include <zip.h>

#include <CLI/Version.hpp>
#include <nlohmann/json.hpp>

#include "perf/cpu.h"

namespace cairn::cli {

std::string version_text() {
  std::string text = fmt::format("cairn {}\n", CAIRN_VERSION);
  text += fmt::format("isa        {}\n", perf::isa_name());
  text += fmt::format("compiler   {}\n", __VERSION__);
  text += fmt::format(
      "libraries  fmt {}.{}.{}, CLI11 {}, nlohmann-json {}.{}.{}, curl {}, libzip {}",
      FMT_VERSION / 10000, FMT_VERSION / 100 % 100, FMT_VERSION % 100, CLI11_VERSION,
      NLOHMANN_JSON_VERSION_MAJOR, NLOHMANN_JSON_VERSION_MINOR, NLOHMANN_JSON_VERSION_PATCH,
      curl_version_info(CURLVERSION_NOW)->version, zip_libzip_version());
  return text;
}

}  // namespace cairn::cli
