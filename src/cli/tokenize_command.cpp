#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/error.h"
#include "cli/command.h"
#include "cli/model_name.h"
#include "cli/model_options.h"
#include "cli/prompt_source.h"
#include "cli/terminal.h"
#include "cli/text_table.h"
#include "cli/token_list.h"
#include "cli/tokenize_lines.h"
#include "engine/tokenizer_loader.h"
#include "text/detokenizer.h"
#include "text/pre_tokenizer.h"
#include "text/tokenizer.h"

namespace cairn::cli {
namespace {

struct TokenizeOptions {
  std::string model;
  std::optional<std::string> text;
  std::string file;
  std::string offsets;
  std::string pre_tokenizer;
  bool ids = false;
  bool count = false;
  bool decode = false;
  bool no_special = false;
  bool jsonl = false;
  bool json = false;

  text::EncodeOptions encode() const {
    return {.add_special = !no_special, .parse_special = !no_special};
  }
};

OffsetUnit offset_unit(const TokenizeOptions& options) {
  if (options.offsets.empty()) return OffsetUnit::none;
  if (options.ids || options.count || options.decode) {
    fail(ErrorKind::invalid_argument, "--offsets goes with no --ids, --count or --decode");
  }
  if (options.offsets == "bytes") return OffsetUnit::bytes;
  if (options.offsets == "chars") return OffsetUnit::characters;
  fail(ErrorKind::invalid_argument, "--offsets={}: expected bytes or chars", options.offsets);
}

/// Any text is one to tokenize, even an empty one; only what was never given is missed.
std::string read_input(const TokenizeOptions& options) {
  if (options.text && !options.file.empty()) {
    fail(ErrorKind::invalid_argument, "a text as an argument and one in {}: give one of them",
         options.file);
  }
  if (options.text) return *options.text;
  if (options.file.empty() && is_terminal(stdin)) {
    fail(ErrorKind::invalid_argument,
         "there is no text; give it as an argument, with -f FILE or on standard input");
  }
  return read_file(options.file.empty() ? "-" : options.file);
}

// Through JSON's escapes, so that newlines and control characters show.
std::string quoted(const std::string& bytes) {
  return nlohmann::json(bytes).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void print_json(const text::Tokenizer& tokenizer, const text::Encoding& encoding) {
  auto rows = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < encoding.tokens.size(); ++i) {
    const TokenId token = encoding.tokens[i];
    auto& row = rows.emplace_back();
    row["id"] = token.value;
    row["piece"] = tokenizer.piece_bytes(token, true);
    if (encoding.offsets.empty()) continue;
    row["begin"] = encoding.offsets[i].begin;
    row["end"] = encoding.offsets[i].end;
  }
  fmt::print("{}\n", rows.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

void print_table(const text::Tokenizer& tokenizer, const text::Encoding& encoding) {
  std::vector<TextTable::Column> columns = {{"ID", TextTable::Align::right}};
  if (!encoding.offsets.empty()) {
    columns.push_back({"BEGIN", TextTable::Align::right});
    columns.push_back({"END", TextTable::Align::right});
  }
  columns.push_back({"PIECE"});
  TextTable table(std::move(columns));
  for (std::size_t i = 0; i < encoding.tokens.size(); ++i) {
    const TokenId token = encoding.tokens[i];
    std::vector<std::string> row = {std::to_string(token.value)};
    if (!encoding.offsets.empty()) {
      row.push_back(std::to_string(encoding.offsets[i].begin));
      row.push_back(std::to_string(encoding.offsets[i].end));
    }
    row.push_back(quoted(tokenizer.piece_bytes(token, true)));
    table.add_row(std::move(row));
  }
  fmt::print("{}", table.text());
}

void decode_ids(const TokenizeOptions& options, const text::Tokenizer& tokenizer,
                const std::string& text) {
  const std::vector<TokenId> tokens = parse_token_ids(text, "token ids");
  require_ids(tokenizer, tokens);
  const std::string decoded = text::decode(tokenizer, tokens, !options.no_special);
  fmt::print("{}\n", options.json ? quoted(decoded) : decoded);
}

void encode_text(const TokenizeOptions& options, const text::Tokenizer& tokenizer,
                 const std::string& text) {
  const OffsetUnit offsets = offset_unit(options);
  text::Encoding encoding;
  if (offsets == OffsetUnit::none) {
    encoding.tokens = tokenizer.encode(text, options.encode());
  } else {
    encoding = tokenizer.encode_with_offsets(text, options.encode());
    if (offsets == OffsetUnit::characters) count_in_characters(text, encoding.offsets);
  }
  if (options.count) {
    fmt::print("{}\n", encoding.tokens.size());
  } else if (options.ids) {
    fmt::print("{}\n", format_token_ids(encoding.tokens, " "));
  } else if (options.json) {
    print_json(tokenizer, encoding);
  } else {
    print_table(tokenizer, encoding);
  }
}

void run_tokenize(const TokenizeOptions& options) {
  const OffsetUnit offsets = offset_unit(options);
  const auto tokenizer =
      engine::load_tokenizer(resolve_model(options.model), options.pre_tokenizer);
  const std::string warning = text::pre_tokenizer_warning(tokenizer->vocabulary());
  if (!warning.empty()) fmt::print(stderr, "{}: {}\n", options.model, warning);
  if (options.jsonl) {
    if (options.text) {
      fail(ErrorKind::invalid_argument,
           "--jsonl reads lines; give them with -f FILE or on standard input");
    }
    return tokenize_lines(*tokenizer, {.file = options.file,
                                       .encode = options.encode(),
                                       .offsets = offsets,
                                       .count = options.count,
                                       .decode = options.decode});
  }
  const std::string text = read_input(options);
  if (options.decode) return decode_ids(options, *tokenizer, text);
  encode_text(options, *tokenizer, text);
}

}  // namespace

void add_tokenize_command(CLI::App& app) {
  auto options = std::make_shared<TokenizeOptions>();
  CLI::App* command = app.add_subcommand("tokenize", "Turn text into tokens, or back");
  command->footer(
      "Examples:\n"
      "  cairn tokenize smollm2 \"Hello, world\"\n"
      "  cairn tokenize model.gguf -f book.txt --count\n"
      "  cairn tokenize tokenizer.json --jsonl < lines.jsonl\n"
      "  cairn tokenize smollm2 --decode \"19556 28 905\"\n\n"
      "--jsonl reads a JSON string a line and writes a list of ids a line (with --offsets an "
      "object\n"
      "with \"ids\" and \"offsets\"; with --decode the other way round). A line that is none "
      "gives\n"
      "{\"error\": ...} in its place, and exit code 2 at the end.");
  add_model_argument(*command, options->model)
      ->description("A model, a tokenizer.json or tokenizer.model: a file, a folder, or a name");
  command->add_option("TEXT", options->text, "The text; else -f FILE or standard input");
  command->add_option("-f,--file", options->file, "Read the text from a file");
  CLI::Option* ids = command->add_flag("--ids", options->ids, "Print ids between blanks only");
  command->add_flag("--count", options->count, "Print how many tokens there are")->excludes(ids);
  command->add_flag("--offsets{bytes}", options->offsets,
                    "Where each token begins and ends, in bytes; --offsets=chars: in code points");
  command->add_flag("--decode", options->decode, "The text is ids; print what they say");
  command->add_flag("--no-special", options->no_special,
                    "Add no special token and take none from the text");
  command->add_flag("--jsonl", options->jsonl, "Line by line, JSON in and JSON out");
  add_pre_tokenizer_option(*command, options->pre_tokenizer);
  add_json_option(*command, options->json);
  command->callback([options] { run_tokenize(*options); });
}

}  // namespace cairn::cli
