#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/model_list.h"
#include "cli/text_table.h"
#include "cli/units.h"

namespace cairn::cli {
namespace {

struct ListOptions {
  bool json = false;
};

void print_json(const std::vector<FoundModel>& models) {
  auto lines = nlohmann::ordered_json::array();
  for (const FoundModel& model : models) {
    lines.push_back({{"name", model.name},
                     {"size_bytes", model.size_bytes},
                     {"origin", name_of(model.origin)},
                     {"path", model.path.string()}});
  }
  fmt::print("{}\n", lines.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
}

void run_list(const ListOptions& options) {
  const ModelFolders folders = model_folders();
  const std::vector<FoundModel> models = list_models(folders);
  if (options.json) return print_json(models);
  if (models.empty()) {
    fmt::print(stderr, "no models yet; 'cairn pull smollm2' fetches a small one into {}\n",
               folders.own.string());
    return;
  }
  TextTable table({{"NAME"}, {"SIZE", TextTable::Align::right}, {"FROM"}, {"PATH"}});
  for (const FoundModel& model : models) {
    table.add_row(
        {model.name, bytes_text(model.size_bytes), name_of(model.origin), model.path.string()});
  }
  fmt::print("{}", table.text());
}

}  // namespace

void add_list_command(CLI::App& app) {
  auto options = std::make_shared<ListOptions>();
  CLI::App* command = app.add_subcommand("list", "Show the models that have a name here");
  command->footer("Examples:\n  cairn list\n  cairn list --json");
  add_json_option(*command, options->json);
  command->callback([options] { run_list(*options); });
}

}  // namespace cairn::cli
