// Random loads on random engines, checked after every step.
//
//   engine_fuzz [--seeds FIRST..END] [--steps N]
//
// Prints the seed of the first fault and exits with 1; a failed CHECK prints it, too.

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <string_view>

#include "random_load.h"

namespace {

struct Arguments {
  std::uint64_t first_seed = 0;
  std::uint64_t end_seed = 1000;
  std::int64_t steps = 200;
};

// Formatted before each run: a signal handler may only write.
std::array<char, 512> seed_line{};

void print_seed(int /*signal*/) {
  const std::string_view line(seed_line.data());
  [[maybe_unused]] const auto written = write(STDERR_FILENO, line.data(), line.size());
}

template <class T>
bool parse(std::string_view text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

bool parse_arguments(int count, char** values, Arguments& arguments) {
  for (int i = 1; i + 1 < count; i += 2) {
    const std::string_view name = values[i];
    const std::string_view value = values[i + 1];
    const std::size_t dots = value.find("..");
    if (name == "--seeds" && dots != std::string_view::npos) {
      if (!parse(value.substr(0, dots), arguments.first_seed)) return false;
      if (!parse(value.substr(dots + 2), arguments.end_seed)) return false;
    } else if (name != "--steps" || !parse(value, arguments.steps)) {
      return false;
    }
  }
  return count % 2 == 1;
}

}  // namespace

int main(int count, char** values) {
  Arguments arguments;
  if (!parse_arguments(count, values, arguments)) {
    fmt::print(stderr, "usage: engine_fuzz [--seeds FIRST..END] [--steps N]\n");
    return 2;
  }
  std::signal(SIGABRT, print_seed);
  const auto started = std::chrono::steady_clock::now();
  std::int64_t steps = 0;
  std::int64_t preemptions = 0;
  std::int64_t cached_tokens = 0;
  for (std::uint64_t seed = arguments.first_seed; seed < arguments.end_seed; ++seed) {
    cairn::simulation::RandomLoad load(seed);
    *fmt::format_to_n(seed_line.data(), seed_line.size() - 1, "seed {}, {}\n", seed,
                      load.describe())
         .out = '\0';
    const std::string fault = load.run(arguments.steps);
    if (!fault.empty()) {
      fmt::print("seed {}, {}\n  {}\n", seed, fault, load.describe());
      return 1;
    }
    steps += load.steps();
    preemptions += load.statistics().preemptions;
    cached_tokens += load.statistics().cached_tokens;
  }
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - started;
  fmt::print(
      "seeds {}..{}: {} steps without a fault, {} preemptions, {} cached tokens, {:.1f} s: "
      "{:.2f} million steps a minute\n",
      arguments.first_seed, arguments.end_seed, steps, preemptions, cached_tokens, elapsed.count(),
      static_cast<double>(steps) * 60e-6 / elapsed.count());
  return 0;
}
