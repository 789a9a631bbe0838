#include "cli/application.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <new>

#include "cli/command.h"
#include "cli/exit_code.h"
#include "cli/terminal.h"
#include "cli/version.h"

namespace cairn::cli {
namespace {

constexpr const char* kExamples =
    "Examples:\n"
    "  cairn pull smollm2\n"
    "  cairn run smollm2 \"Why is the sky blue?\"\n"
    "  cairn COMMAND --help\n"
    "\n"
    "Exit codes: 0 success, 2 wrong usage, 3 not found, 4 damaged or unsupported file,\n"
    "5 disk, network or memory, 130 interrupted, 1 anything else.";

void print_error(std::string message) {
  std::replace(message.begin(), message.end(), '\n', ' ');
  fmt::print(stderr, "{} {}\n", styled(stderr, Style::red, "cairn:"), message);
}

// The innermost command that was named, for "see ... --help".
std::string command_path(const CLI::App& app) {
  std::string path = "cairn";
  for (const CLI::App* command : app.get_subcommands()) path += " " + command->get_name();
  return path;
}

ExitCode end_parse(const CLI::App& app, const CLI::ParseError& error) {
  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) {
    app.exit(error);  // --help and --version arrive as "errors" that only print
    return ExitCode::success;
  }
  print_error(fmt::format("{}; see {} --help", error.what(), command_path(app)));
  return ExitCode::usage;
}

ExitCode run(CLI::App& app, int argument_count, const char* const* arguments) {
  try {
    app.parse(argument_count, arguments);
    if (std::fflush(stdout) != 0) fail(ErrorKind::io, "cannot write to standard output");
    return ExitCode::success;
  } catch (const CLI::ParseError& error) {
    return end_parse(app, error);
  } catch (const Error& error) {
    if (!error.message().empty()) print_error(error.message());
    return exit_code_of(error.kind());
  } catch (const std::filesystem::filesystem_error& error) {
    print_error(error.what());
    return ExitCode::system;
  } catch (const std::bad_alloc&) {
    print_error("out of memory; a smaller model or --context needs less");
    return ExitCode::system;
  } catch (const std::exception& error) {
    print_error(error.what());
    return ExitCode::failure;
  }
}

}  // namespace

int run_application(int argument_count, const char* const* arguments) {
  CLI::App app("Runs open-weight language models on the machine you have.", "cairn");
  app.footer(kExamples);
  app.require_subcommand(1);
  app.set_version_flag("--version", version_text);
  add_commands(app);
  const ExitCode code = run(app, argument_count, arguments);
  std::fflush(stdout);
  return static_cast<int>(code);
}

}  // namespace cairn::cli
