#include "drawn_loads.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "random.h"

namespace cairn::simulation {
namespace {

double normal(Random& random) {
  const double radius = std::sqrt(-2 * std::log(1 - random.uniform()));
  return radius * std::cos(2 * std::numbers::pi * random.uniform());
}

std::int32_t length(Random& random, double median, double sigma, std::int32_t longest) {
  const double drawn = median * std::exp(sigma * normal(random));
  return std::clamp(static_cast<std::int32_t>(drawn), 4, longest);
}

double wait_ms(Random& random, double per_second) {
  return -1000 / per_second * std::log(1 - random.uniform());
}

/// Lengths are log-normal, arrivals a Poisson process.
struct Independent {
  int request_count;
  double requests_per_second;
  double prompt_median;
  double prompt_sigma;
  double output_median;
  double output_sigma;
  std::int32_t longest;  // of prompts, and of outputs
};

void print_independent(Random& random, const Independent& kind) {
  double arrival_ms = 0;
  for (int i = 0; i < kind.request_count; ++i) {
    arrival_ms += wait_ms(random, kind.requests_per_second);
    const auto prompt = length(random, kind.prompt_median, kind.prompt_sigma, kind.longest);
    const auto output = length(random, kind.output_median, kind.output_sigma, kind.longest);
    fmt::print("{:.0f} {} {}\n", arrival_ms, prompt, output);
  }
}

/// Requests that begin with one of several prefixes, the k-th as often as 1 / k.
struct Prefixed {
  int request_count;
  double requests_per_second;
  std::int32_t prefix_count;
  double prefix_median;
  double own_median;
  double output_median;
};

void print_prefixed(Random& random, const Prefixed& kind) {
  std::vector<std::int32_t> prefixes;
  double weight = 0;
  for (std::int32_t id = 0; id < kind.prefix_count; ++id) {
    prefixes.push_back(length(random, kind.prefix_median, 0.5, 4000));
    weight += 1.0 / (id + 1);
  }
  double arrival_ms = 0;
  for (int i = 0; i < kind.request_count; ++i) {
    arrival_ms += wait_ms(random, kind.requests_per_second);
    double drawn = random.uniform() * weight;
    std::int32_t id = 0;
    while (id + 1 < kind.prefix_count && drawn > 1.0 / (id + 1)) drawn -= 1.0 / ++id;
    const std::int32_t prefix = prefixes[static_cast<std::size_t>(id)];
    fmt::print("{:.0f} {} {} prefix {} {}\n", arrival_ms,
               prefix + length(random, kind.own_median, 0.6, 1000),
               length(random, kind.output_median, 0.6, 1000), id, prefix);
  }
}

/// People that read an answer and ask on.
void print_conversations(Random& random) {
  constexpr int kConversations = 200;
  std::vector<std::pair<double, std::string>> lines;
  double arrival_ms = 0;
  for (int id = 0; id < kConversations; ++id) {
    arrival_ms += wait_ms(random, 0.5);
    double turn_ms = arrival_ms;
    for (std::int32_t turn = random.between(2, 9); turn > 0; --turn) {
      const std::int32_t asked = length(random, 60, 0.8, 600);
      const std::int32_t answered = length(random, 150, 0.6, 500);
      lines.emplace_back(turn_ms,
                         fmt::format("{:.0f} {} {} turn {}", turn_ms, asked, answered, id));
      // Some milliseconds a token for the answer, and some time to read it.
      turn_ms += 40.0 * answered + 5000 + wait_ms(random, 0.1);
    }
  }
  std::stable_sort(lines.begin(), lines.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const auto& [time, line] : lines) fmt::print("{}\n", line);
}

struct Kind {
  std::string_view name;
  void (*print)(Random& random);
};

constexpr std::array kKinds = {
    Kind{"chat",
         [](Random& r) {
           print_independent(r, {1000, 8, 160, 0.9, 220, 0.8, 1500});
         }},
    Kind{"recompute",
         [](Random& r) {
           print_independent(r, {300, 20, 30, 0.6, 300, 0.9, 3000});
         }},
    Kind{"variance",
         [](Random& r) {
           print_independent(r, {400, 50, 60, 0.8, 80, 1.3, 1500});
         }},
    Kind{"shared_prefix",
         [](Random& r) {
           print_prefixed(r, {2000, 8, 50, 600, 60, 60});
         }},
    Kind{"few_shot",
         [](Random& r) {
           print_prefixed(r, {1500, 6, 20, 1200, 60, 10});
         }},
    Kind{"multi_turn", print_conversations},
};

}  // namespace

void print_drawn_load(std::string_view name, std::uint64_t seed) {
  std::string names;
  for (const Kind& kind : kKinds) {
    if (kind.name == name) {
      fmt::print("# simulate_serving draw {} {}\n", name, seed);
      Random random(seed);
      return kind.print(random);
    }
    names += names.empty() ? "" : ", ";
    names += kind.name;
  }
  fail(ErrorKind::invalid_argument, "load: found '{}', expected one of: {}", name, names);
}

}  // namespace cairn::simulation
