#include <CLI/CLI.hpp>

#include "cli/command.h"

// One line a command, in the order of --help.
#define CAIRN_COMMANDS(COMMAND) \
  COMMAND(run)                  \
  COMMAND(chat)                 \
  COMMAND(batch)                \
  COMMAND(inspect)              \
  COMMAND(tokenize)             \
  COMMAND(template)             \
  COMMAND(logits)               \
  COMMAND(perplexity)           \
  COMMAND(bench)                \
  COMMAND(pull)                 \
  COMMAND(list)                 \
  COMMAND(rm)                   \
  COMMAND(machine)

namespace cairn::cli {

#define DECLARE(name) void add_##name##_command(CLI::App& app);
CAIRN_COMMANDS(DECLARE)
#undef DECLARE

void add_commands(CLI::App& app) {
#define ADD(name) add_##name##_command(app);
  CAIRN_COMMANDS(ADD)
#undef ADD
}

CLI::Option* add_model_argument(CLI::App& command, std::string& model) {
  return command
      .add_option("MODEL", model, "A file, a folder, or the name of something pulled (cairn list)")
      ->required();
}

CLI::Option* add_threads_option(CLI::App& command, int& threads) {
  return command
      .add_option("--threads", threads,
                  "Threads to compute with; 0: every core this process may use")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str();
}

CLI::Option* add_json_option(CLI::App& command, bool& json) {
  return command.add_flag("--json", json, "Print JSON instead of text");
}

}  // namespace cairn::cli
