#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "base/error.h"
#include "cli/command.h"
#include "cli/logits_report.h"
#include "cli/model_options.h"
#include "cli/prompt_source.h"
#include "cli/session.h"
#include "cli/strangers.h"
#include "cli/token_list.h"
#include "engine/session.h"

namespace cairn::cli {
namespace {

struct LogitsOptions {
  ModelOptions model;
  std::string tokens;
  std::string tokens_file;
  std::size_t top = 10;
  std::int32_t chunk = 0;
  std::int32_t generate = 0;
  std::string beside;
  std::string raw;
};

std::vector<TokenId> read_tokens(const LogitsOptions& options) {
  const bool from_file = !options.tokens_file.empty();
  if (from_file == !options.tokens.empty()) {
    fail(ErrorKind::invalid_argument, "give either --tokens \"1,2,3\" or --tokens-file FILE");
  }
  std::vector<TokenId> tokens =
      from_file ? parse_token_ids(read_file(options.tokens_file), options.tokens_file)
                : parse_token_ids(options.tokens, "--tokens");
  if (tokens.empty()) fail(ErrorKind::invalid_argument, "no tokens; give at least one id");
  return tokens;
}

// The request under test and its company, each as long as the context.
EngineOptions sized_for(const LogitsOptions& options, std::size_t token_count,
                        const std::vector<Stranger>& strangers) {
  EngineOptions engine = engine_options(options.model);
  std::size_t longest = token_count + static_cast<std::size_t>(options.generate);
  std::size_t company = 0;
  for (const Stranger& stranger : strangers) company = std::max(company, stranger.tokens.size());
  // Room for the strangers to go on while the request is computed row by row.
  if (!strangers.empty()) longest += company + token_count;
  engine.context_tokens = static_cast<std::int32_t>(longest + 1);
  engine.max_sequences = static_cast<std::int32_t>(strangers.size() + 1);
  engine.kv_tokens =
      std::int64_t{engine.context_tokens + engine.page_tokens} * engine.max_sequences;
  engine.prefill_chunk = options.chunk;
  const std::int32_t rows = options.chunk > 0 ? options.chunk : engine.max_batch_tokens;
  engine.max_logit_rows = std::min<std::int32_t>(rows, 64) + engine.max_sequences;
  engine.prefix_cache = false;
  return engine;
}

void run_logits(const LogitsOptions& options) {
  const std::vector<TokenId> tokens = read_tokens(options);
  const std::vector<Stranger> strangers =
      options.beside.empty() ? std::vector<Stranger>() : read_strangers(options.beside);
  Session owner(options.model.threads);
  const auto loaded = load(options.model, owner.context(), {.tokenizer = false});
  engine::Session session(*loaded, sized_for(options, tokens.size(), strangers));
  RowCounter counter;
  session.set_step_observer(&counter);

  LogitsReport report(options.top, options.raw);
  Request request = session.new_request(tokens);
  request.sampling.temperature = 0;
  request.sampling.repetition_penalty = 1;
  request.sampling.ignore_eos = true;
  request.max_tokens = options.generate;
  request.logits_from = 0;
  request.observer = &report;

  Company company(session, strangers);
  session.submit(std::move(request));
  while (!report.finished() && session.step()) {
  }
  company.end_all();
  session.run_until_idle();
  report.close();
  if (options.generate > 0) {
    fmt::print("{{\"generated\": [{}]}}\n", format_token_ids(report.generated(), ", "));
  }
  fmt::print(stderr, "{}\n", counter.summary());
}

}  // namespace

void add_logits_command(CLI::App& app) {
  auto options = std::make_shared<LogitsOptions>();
  CLI::App* command = app.add_subcommand("logits", "Print what the model thinks at each position");
  command->footer(
      "Examples:\n"
      "  cairn logits smollm2 --tokens \"1,4093,198\" --top 5\n"
      "  cairn logits smollm2 --tokens \"1,4093,198\" --generate 8 --backend reference\n"
      "  cairn logits smollm2 --tokens-file ids.txt --chunk 7 --beside others.jsonl\n\n"
      "Prints a JSON line a position: the log of the sum of exponentials, the largest logits, and\n"
      "XXH64 over the row's little-endian f32 logits. Equal hashes are equal bits.");
  add_model_options(*command, options->model);
  command->add_option("--tokens", options->tokens, "Token ids between commas");
  command->add_option("--tokens-file", options->tokens_file,
                      "A file of token ids; -: standard input");
  command->add_option("--top", options->top, "Largest logits to print")->capture_default_str();
  command->add_option("--chunk", options->chunk, "Compute the prompt in chunks of N rows; 0: whole")
      ->check(CLI::Range(0, 512))
      ->capture_default_str();
  command->add_option("--generate", options->generate, "Go on greedily for N tokens")
      ->check(CLI::Range(0, 1 << 20))
      ->capture_default_str();
  command->add_option("--beside", options->beside,
                      "JSON lines with \"tokens\": requests that run in the same steps");
  command->add_option("--raw", options->raw, "Write all logits as little-endian f32 to a file");
  command->callback([options] { run_logits(*options); });
}

}  // namespace cairn::cli
