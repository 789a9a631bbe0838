#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/error.h"
#include "checkpoint/checkpoint.h"
#include "cli/command.h"
#include "cli/model_name.h"
#include "cli/prompt_source.h"
#include "cli/text_table.h"
#include "cli/token_list.h"
#include "engine/vocabulary_loader.h"
#include "text/detokenizer.h"
#include "text/tokenizer.h"

namespace cairn::cli {
namespace {

struct TokenizeOptions {
  std::string model;
  std::optional<std::string> text;
  std::string file;
  bool ids = false;
  bool count = false;
  bool decode = false;
  bool no_special = false;
  bool json = false;
};

// Through JSON's escapes, so that newlines and control characters show.
std::string quoted(const std::string& bytes) {
  return nlohmann::json(bytes).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void print_json(const text::Tokenizer& tokenizer, const std::vector<TokenId>& tokens) {
  auto rows = nlohmann::ordered_json::array();
  for (const TokenId token : tokens) {
    rows.push_back({{"id", token.value}, {"piece", tokenizer.piece_bytes(token, true)}});
  }
  fmt::print("{}\n", rows.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

void print_table(const text::Tokenizer& tokenizer, const std::vector<TokenId>& tokens) {
  TextTable table({{"ID", TextTable::Align::right}, {"PIECE"}});
  for (const TokenId token : tokens) {
    table.add_row({std::to_string(token.value), quoted(tokenizer.piece_bytes(token, true))});
  }
  fmt::print("{}", table.text());
}

void decode_ids(const TokenizeOptions& options, const text::Tokenizer& tokenizer,
                const std::string& text) {
  const std::vector<TokenId> tokens = parse_token_ids(text, "token ids");
  const std::size_t size = tokenizer.vocabulary().pieces.size();
  for (const TokenId token : tokens) {
    if (static_cast<std::size_t>(token.value) >= size) {
      fail(ErrorKind::invalid_argument, "token id {} is outside the vocabulary of {} tokens",
           token.value, size);
    }
  }
  const std::string decoded = text::decode(tokenizer, tokens, !options.no_special);
  if (options.json) {
    fmt::print("{}\n", quoted(decoded));
  } else {
    fmt::print("{}\n", decoded);
  }
}

void run_tokenize(const TokenizeOptions& options) {
  const std::string text = read_text(options.text, options.file, "text");
  const auto checkpoint = checkpoint::open_checkpoint(resolve_model(options.model));
  const auto tokenizer = text::make_tokenizer(engine::load_vocabulary(*checkpoint));
  if (options.decode) return decode_ids(options, *tokenizer, text);
  const std::vector<TokenId> tokens = tokenizer->encode(
      text, {.add_special = !options.no_special, .parse_special = !options.no_special});
  if (options.count) {
    fmt::print("{}\n", tokens.size());
  } else if (options.ids) {
    fmt::print("{}\n", format_token_ids(tokens, " "));
  } else if (options.json) {
    print_json(*tokenizer, tokens);
  } else {
    print_table(*tokenizer, tokens);
  }
}

}  // namespace

void add_tokenize_command(CLI::App& app) {
  auto options = std::make_shared<TokenizeOptions>();
  CLI::App* command = app.add_subcommand("tokenize", "Turn text into tokens, or back");
  command->footer(
      "Examples:\n"
      "  cairn tokenize smollm2 \"Hello, world\"\n"
      "  cairn tokenize model.gguf -f book.txt --count\n"
      "  cairn tokenize smollm2 --decode \"19556 28 905\"");
  add_model_argument(*command, options->model);
  command->add_option("TEXT", options->text, "The text; else -f FILE or standard input");
  command->add_option("-f,--file", options->file, "Read the text from a file");
  CLI::Option* ids = command->add_flag("--ids", options->ids, "Print ids between blanks only");
  command->add_flag("--count", options->count, "Print how many tokens there are")->excludes(ids);
  command->add_flag("--decode", options->decode, "The text is ids; print what they say");
  command->add_flag("--no-special", options->no_special,
                    "Add no special token and take none from the text");
  add_json_option(*command, options->json);
  command->callback([options] { run_tokenize(*options); });
}

}  // namespace cairn::cli
