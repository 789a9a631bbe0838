#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/session.h"
#include "cli/units.h"
#include "perf/machine.h"

namespace cairn::cli {
namespace {

struct MachineOptions {
  int threads = 0;
  bool json = false;
};

void print_json(const perf::Machine& machine) {
  const nlohmann::ordered_json json = {
      {"cpu_model", machine.cpu_model},
      {"isa", machine.isa},
      {"usable_isas", machine.usable_isas},
      {"core_count", machine.core_count},
      {"memory_bytes", machine.memory_bytes},
      {"last_level_cache_bytes", machine.last_level_cache_bytes},
      {"read_bytes_per_second", machine.read_bytes_per_second},
      {"read_bytes_per_second_one_core", machine.read_bytes_per_second_one_core},
      {"int8_operations_per_second", machine.int8_operations_per_second},
      {"f32_operations_per_second", machine.f32_operations_per_second}};
  fmt::print("{}\n", json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
}

void print_text(const perf::Machine& machine) {
  const auto rate = [](double per_second) { return static_cast<std::int64_t>(per_second); };
  fmt::print("cpu             {}\n", machine.cpu_model);
  fmt::print("isa             {} (CAIRN_ISA chooses among {})\n", machine.isa,
             fmt::join(machine.usable_isas, ", "));
  fmt::print("cores           {}\n", machine.core_count);
  fmt::print("memory          {}\n", bytes_text(machine.memory_bytes));
  fmt::print("last cache      {}\n", bytes_text(machine.last_level_cache_bytes));
  fmt::print("read bandwidth  {}/s on all cores, {}/s on one\n",
             bytes_text(rate(machine.read_bytes_per_second)),
             bytes_text(rate(machine.read_bytes_per_second_one_core)));
  fmt::print("int8 peak       {:.0f} GOPS\n", machine.int8_operations_per_second * 1e-9);
  fmt::print("f32 peak        {:.0f} GFLOPS\n", machine.f32_operations_per_second * 1e-9);
}

void run_machine(const MachineOptions& options) {
  Session session(options.threads);
  const perf::Machine machine = perf::measure_machine(session.context());
  if (options.json) {
    print_json(machine);
  } else {
    print_text(machine);
  }
}

}  // namespace

void add_machine_command(CLI::App& app) {
  auto options = std::make_shared<MachineOptions>();
  CLI::App* command = app.add_subcommand(
      "machine", "Measure what this machine can do: the limits of every benchmark");
  command->footer("Examples:\n  cairn machine\n  cairn machine --threads 1 --json");
  add_threads_option(*command, options->threads);
  add_json_option(*command, options->json);
  command->callback([options] { run_machine(*options); });
}

}  // namespace cairn::cli
