#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>

#include "base/error.h"
#include "cli/command.h"
#include "cli/known_models.h"
#include "cli/model_list.h"
#include "cli/units.h"

namespace cairn::cli {
namespace {

namespace fs = std::filesystem;

// What an unfinished pull left beside `path`.
bool remove_parts(const fs::path& path) {
  std::error_code ignored;
  bool removed = false;
  for (const char* suffix : {".part", ".part.etag", ".parts"})
    removed |= fs::remove_all(path.string() + suffix, ignored) > 0;
  return removed;
}

void run_rm(const std::string& name) {
  const ModelFolders folders = model_folders();
  for (const FoundModel& model : list_models(folders)) {
    const bool named = model.name == name || model.path.stem() == name;
    if (model.origin != ModelOrigin::own || !named) continue;
    remove_parts(model.path);
    std::error_code error;
    fs::remove(model.path, error);
    if (error) fail(ErrorKind::io, "cannot remove {}: {}", model.path.string(), error.message());
    fmt::print(stderr, "removed {} ({})\n", name, bytes_text(model.size_bytes));
    return;
  }
  const KnownModel* known = find_known_model(name);
  const std::string stem = known != nullptr ? std::string(known->file_stem) : name;
  if (stem.find('/') == std::string::npos && remove_parts(folders.own / (stem + ".gguf"))) {
    fmt::print(stderr, "removed what an unfinished pull of {} had left\n", name);
    return;
  }
  fail(ErrorKind::not_found,
       "no model '{}' in {}; 'cairn list' shows what is there. Models of other programs are not "
       "removed",
       name, folders.own.string());
}

}  // namespace

void add_rm_command(CLI::App& app) {
  auto name = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("rm", "Remove a model that was pulled");
  command->footer("Examples:\n  cairn rm smollm2");
  command->add_option("NAME", *name, "Its name in 'cairn list'")->required();
  command->callback([name] { run_rm(*name); });
}

}  // namespace cairn::cli
