#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <vector>

#include "cli/bench_profile.h"
#include "cli/command.h"
#include "cli/model_options.h"
#include "cli/session.h"
#include "cli/speed_measurement.h"
#include "cli/text_table.h"
#include "cli/units.h"
#include "perf/machine.h"
#include "perf/model_cost.h"

namespace cairn::cli {
namespace {

struct BenchOptions {
  ModelOptions model;
  std::vector<std::int32_t> prompts = {512};
  std::int32_t generate = 64;
  std::vector<std::int32_t> batches = {1};
  std::vector<std::int32_t> depths = {0};
  bool profile = false;
  bool json = false;
};

struct Row {
  SpeedTest test;
  OpCosts costs{};  // of a mean step
  std::unique_ptr<StepProfile> profile;
  double tokens_per_second = 0;
  double bytes_per_token = 0;
  double flops_per_token = 0;
  double roofline_share = 0;
};

const char* kind_name(SpeedTest::Kind kind) {
  return kind == SpeedTest::Kind::prefill ? "prefill" : "decode";
}

std::vector<SpeedTest> tests_of(const BenchOptions& options) {
  std::vector<SpeedTest> tests;
  for (const std::int32_t depth : options.depths) {
    for (const std::int32_t prompt : options.prompts) {
      if (prompt > 0) tests.push_back({SpeedTest::Kind::prefill, prompt, 0, 1, depth});
    }
    for (const std::int32_t batch : options.batches) {
      if (options.generate > 0) {
        tests.push_back({SpeedTest::Kind::decode, 0, options.generate, batch, depth});
      }
    }
  }
  return tests;
}

backend::Cost mean_of(backend::Cost sum, std::int32_t count) {
  for (std::int64_t* amount :
       {&sum.calls, &sum.weight_bytes, &sum.kv_read_bytes, &sum.kv_written_bytes, &sum.flops}) {
    *amount /= count;
  }
  return sum;
}

// What a step of the test moves and computes, over its tokens. Prefill runs in steps of
// max_batch_tokens; decode is priced in the middle of what it generates.
void add_price(Row& row, perf::ModelCost& cost, const EngineOptions& options) {
  const SpeedTest& test = row.test;
  backend::Cost total;
  std::int32_t steps = 0;
  const auto add_step = [&](std::int32_t sequences, std::int32_t rows, std::int32_t depth) {
    total += cost.step(sequences, rows, depth);
    for (std::size_t kind = 0; kind < row.costs.size(); ++kind) {
      row.costs[kind] += cost.last_step(static_cast<backend::OpKind>(kind));
    }
    ++steps;
  };
  std::int32_t tokens = 0;
  if (test.kind == SpeedTest::Kind::decode) {
    tokens = test.batch;
    add_step(test.batch, 1, test.depth + test.generate / 2);
  } else {
    for (; tokens < test.prompt; tokens += options.max_batch_tokens) {
      add_step(1, std::min(options.max_batch_tokens, test.prompt - tokens), test.depth + tokens);
    }
    tokens = test.prompt;
  }
  for (backend::Cost& op : row.costs) op = mean_of(op, steps);
  row.bytes_per_token = static_cast<double>(total.bytes()) / tokens;
  row.flops_per_token = static_cast<double>(total.flops) / tokens;
}

void print_json(const Row& row, const perf::Rates& rates) {
  std::string profile;
  if (row.profile != nullptr) {
    profile = fmt::format(", \"profile\": {}", profile_json(*row.profile, row.costs, rates));
  }
  fmt::print(
      "{{\"kind\": \"{}\", \"prompt\": {}, \"generate\": {}, \"batch\": {}, \"depth\": {}, "
      "\"tokens_per_second\": {:.3f}, \"bytes_per_token\": {:.0f}, \"flops_per_token\": {:.0f}, "
      "\"roofline_share\": {:.4f}{}}}\n",
      kind_name(row.test.kind), row.test.prompt, row.test.generate, row.test.batch, row.test.depth,
      row.tokens_per_second, row.bytes_per_token, row.flops_per_token, row.roofline_share, profile);
  std::fflush(stdout);
}

void print_table(const std::vector<Row>& rows, double bandwidth, int threads) {
  using Align = TextTable::Align;
  TextTable table({{"KIND"},
                   {"TOKENS", Align::right},
                   {"BATCH", Align::right},
                   {"DEPTH", Align::right},
                   {"TOK/S", Align::right},
                   {"BYTES/TOKEN", Align::right},
                   {"FLOP/TOKEN", Align::right},
                   {"OF BANDWIDTH", Align::right}});
  for (const Row& row : rows) {
    table.add_row({kind_name(row.test.kind), std::to_string(row.test.prompt + row.test.generate),
                   std::to_string(row.test.batch), std::to_string(row.test.depth),
                   fmt::format("{:.1f}", row.tokens_per_second),
                   bytes_text(static_cast<std::int64_t>(row.bytes_per_token)),
                   count_text(static_cast<std::int64_t>(row.flops_per_token)),
                   fmt::format("{:.0f} %", 100 * row.roofline_share)});
  }
  fmt::print("{}{} threads; {}/s read bandwidth, the best of the probes in this run\n",
             table.text(), threads, bytes_text(static_cast<std::int64_t>(bandwidth)));
}

void print_profiles(const std::vector<Row>& rows, const perf::Rates& rates) {
  for (const Row& row : rows) {
    if (row.profile == nullptr) continue;
    fmt::print("\n{}, batch {}, depth {}: a mean step of {}\n{}", kind_name(row.test.kind),
               row.test.batch, row.test.depth, row.profile->steps(),
               profile_table(*row.profile, row.costs, rates));
  }
}

void run_bench(const BenchOptions& options) {
  constexpr double kProbeSeconds = 0.5;
  Session owner(options.model.threads);
  const auto loaded = load(options.model, owner.context(), {.tokenizer = false});
  const EngineOptions engine = engine_options(options.model);
  perf::ModelCost cost(loaded->checkpoint(), engine);
  perf::Rates rates;
  if (options.profile) rates = perf::rates_of(perf::measure_machine(owner.context()));
  double& bandwidth = rates.read_bytes_per_second;
  bandwidth = std::max(bandwidth, perf::measure_read_bandwidth(owner.context(), kProbeSeconds));
  std::vector<Row> rows;
  for (const SpeedTest& test : tests_of(options)) {
    Row& row = rows.emplace_back();
    row.test = test;
    if (options.profile) {
      row.profile = std::make_unique<StepProfile>(owner.context(), loaded->backend());
    }
    row.tokens_per_second = measure_speed(*loaded, engine, test, row.profile.get());
    add_price(row, cost, engine);
  }
  bandwidth = std::max(bandwidth, perf::measure_read_bandwidth(owner.context(), kProbeSeconds));
  for (Row& row : rows) {
    row.roofline_share = row.bytes_per_token * row.tokens_per_second / bandwidth;
    if (options.json) print_json(row, rates);
  }
  if (options.json) return;
  print_table(rows, bandwidth, owner.threads().worker_count());
  print_profiles(rows, rates);
}

}  // namespace

void add_bench_command(CLI::App& app) {
  auto options = std::make_shared<BenchOptions>();
  CLI::App* command = app.add_subcommand("bench", "Measure speed beside the machine's limit");
  command->footer(
      "Examples:\n"
      "  cairn bench smollm2\n"
      "  cairn bench model.gguf --prompt 512 --generate 64 --batch 1,8 --depth 0,4096 --json\n\n"
      "tokens_per_second is that of all requests together; bytes_per_token counts the file bytes "
      "of\n"
      "the tensors that a step touches and its KV bytes, over its tokens; roofline_share is the\n"
      "bytes moved per second over the read bandwidth measured in the same run. With --profile,\n"
      "an op's roofline is the longer of its bytes over the bandwidth and its operations over the\n"
      "machine's peak (f32 for attention, 8-bit integers for products); SERIAL is the share of "
      "its\n"
      "time in which one thread alone works, IDLE the share of all threads' time in which they "
      "wait.");
  add_model_options(*command, options->model);
  command->add_option("--prompt", options->prompts, "Tokens of prefill, such as 16,512; 0: none")
      ->delimiter(',')
      ->check(CLI::Range(0, 1 << 20));
  command->add_option("--generate", options->generate, "Tokens of decode; 0: none")
      ->check(CLI::Range(0, 1 << 20))
      ->capture_default_str();
  command->add_option("--batch", options->batches, "Requests that decode at once, such as 1,8")
      ->delimiter(',')
      ->check(CLI::Range(1, 1024));
  command->add_option("--depth", options->depths, "Tokens of context before the test")
      ->delimiter(',')
      ->check(CLI::Range(0, 1 << 24));
  command->add_flag("--profile", options->profile,
                    "Show where the time of a step goes: ops, what lies between them, serial and "
                    "idle time");
  add_json_option(*command, options->json);
  command->callback([options] { run_bench(*options); });
}

}  // namespace cairn::cli
