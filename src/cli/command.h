#pragma once
// A command is one file, x_command.cpp, that defines add_x_command, plus one line in commands.cpp.
//
// add_x_command makes a subcommand, binds its options to a plain struct and sets a callback:
//
//   void add_x_command(CLI::App& app) {
//     auto options = std::make_shared<XOptions>();
//     CLI::App* command = app.add_subcommand("x", "What it does, in one line");
//     command->footer("Examples:\n  cairn x smollm2");
//     add_model_argument(*command, options->model);
//     command->callback([options] { run_x(*options); });
//   }
//
// The callback reports failure by throwing Error; application.cpp turns it into one line on stderr
// and an exit code. Output that is data goes to stdout, everything else to stderr. CLI11 is
// included by x_command.cpp only.

#include <string>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace cairn::cli {

/// Adds every command of the table to `app`, in the order of --help.
void add_commands(CLI::App& app);

/// The required positional MODEL: a file, a folder, or the name of something pulled.
CLI::Option* add_model_argument(CLI::App& command, std::string& model);

/// --threads N; 0, the default, means every core this process may use.
CLI::Option* add_threads_option(CLI::App& command, int& threads);

/// --json
CLI::Option* add_json_option(CLI::App& command, bool& json);

}  // namespace cairn::cli
