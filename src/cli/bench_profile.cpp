#include "cli/bench_profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/text_table.h"

namespace cairn::cli {
namespace {

/// One line, of a mean step.
struct Line {
  StepProfile::Part part;
  double calls = 0;
  double seconds = 0;
  double share = 0;  // of the step
  double bytes_per_second = 0;
  double operations_per_second = 0;
  double roofline_share = 0;  // 0: it neither moves nor computes
  double serial_share = 0;    // of its own time
  double idle_share = 0;      // of its own time on all threads
};

double ratio(double amount, double whole) {
  return whole > 0 ? amount / whole : 0;
}

Line line_of(const StepProfile::Part& part, const StepProfile& profile) {
  const auto steps = static_cast<double>(std::max<std::int64_t>(profile.steps(), 1));
  Line line{.part = part};
  line.calls = static_cast<double>(part.calls) / steps;
  line.seconds = part.seconds / steps;
  line.share = ratio(part.seconds, profile.whole().seconds);
  line.serial_share = ratio(part.serial_seconds(), part.seconds);
  line.idle_share = ratio(part.idle_seconds(profile.threads()), part.seconds * profile.threads());
  return line;
}

void add_cost(Line& line, const backend::Cost& cost, double operations_per_second,
              const perf::Rates& rates) {
  const auto bytes = static_cast<double>(cost.bytes());
  const auto operations = static_cast<double>(cost.flops);
  line.bytes_per_second = ratio(bytes, line.seconds);
  line.operations_per_second = ratio(operations, line.seconds);
  const double least =
      std::max(ratio(bytes, rates.read_bytes_per_second), ratio(operations, operations_per_second));
  line.roofline_share = ratio(least, line.seconds);
}

std::vector<Line> lines_of(const StepProfile& profile, const OpCosts& costs,
                           const perf::Rates& rates) {
  std::vector<Line> lines;
  for (const StepProfile::Part& part : profile.parts()) {
    if (part.calls == 0) continue;
    lines.push_back(line_of(part, profile));
    for (std::size_t kind = 0; kind < costs.size(); ++kind) {
      const auto op = static_cast<backend::OpKind>(kind);
      if (part.name != backend::name_of(op)) continue;
      const bool is_attention = op == backend::OpKind::attention;
      add_cost(lines.back(), costs[kind],
               is_attention ? rates.f32_operations_per_second : rates.int8_operations_per_second,
               rates);
    }
  }
  return lines;
}

std::string percent(double share) {
  return fmt::format("{:.1f} %", 100 * share);
}

std::string billions(double number) {
  return number > 0 ? fmt::format("{:.2f}", number / 1e9) : "";
}

}  // namespace

std::string profile_table(const StepProfile& profile, const OpCosts& costs,
                          const perf::Rates& rates) {
  using Align = TextTable::Align;
  TextTable table({{"PART"},
                   {"CALLS", Align::right},
                   {"MS", Align::right},
                   {"OF STEP", Align::right},
                   {"GB/S", Align::right},
                   {"GOP/S", Align::right},
                   {"OF ROOFLINE", Align::right},
                   {"SERIAL", Align::right},
                   {"IDLE", Align::right}});
  const auto add = [&](const Line& line) {
    table.add_row({line.part.name, fmt::format("{:.0f}", line.calls),
                   fmt::format("{:.3f}", 1e3 * line.seconds), percent(line.share),
                   billions(line.bytes_per_second), billions(line.operations_per_second),
                   line.roofline_share > 0 ? percent(line.roofline_share) : "",
                   percent(line.serial_share), percent(line.idle_share)});
  };
  Line whole = line_of(profile.whole(), profile);
  double least = 0;
  for (const Line& line : lines_of(profile, costs, rates)) {
    add(line);
    least += line.roofline_share * line.seconds;
  }
  whole.roofline_share = ratio(least, whole.seconds);
  add(whole);
  return table.text();
}

std::string profile_json(const StepProfile& profile, const OpCosts& costs,
                         const perf::Rates& rates) {
  nlohmann::ordered_json json;
  json["steps"] = profile.steps();
  json["threads"] = profile.threads();
  const Line whole = line_of(profile.whole(), profile);
  json["seconds_per_step"] = whole.seconds;
  json["serial_share"] = whole.serial_share;
  json["idle_share"] = whole.idle_share;
  for (const Line& line : lines_of(profile, costs, rates)) {
    json["parts"].push_back({{"name", line.part.name},
                             {"calls", line.calls},
                             {"seconds", line.seconds},
                             {"share", line.share},
                             {"bytes_per_second", line.bytes_per_second},
                             {"operations_per_second", line.operations_per_second},
                             {"roofline_share", line.roofline_share},
                             {"serial_share", line.serial_share},
                             {"idle_share", line.idle_share}});
  }
  return json.dump();
}

}  // namespace cairn::cli
