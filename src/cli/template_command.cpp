#include <CLI/CLI.hpp>
#include <cstdio>
#include <ctime>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "cli/clock_time.h"
#include "cli/command.h"
#include "cli/line_file.h"
#include "cli/model_name.h"
#include "cli/prompt_source.h"
#include "engine/chat_template_loader.h"
#include "text/chat_format.h"

namespace cairn::cli {
namespace {

struct TemplateOptions {
  std::string model;
  std::string context;
  std::string now;
  std::string chat_template;
  bool jsonl = false;
};

text::ChatFormat load_format(const TemplateOptions& options) {
  const std::filesystem::path path = resolve_model(options.model);
  text::ChatSources sources = engine::load_chat_sources(path);
  if (!options.chat_template.empty()) {
    engine::choose_chat_template(sources, options.chat_template);
  }
  if (sources.templates.empty()) {
    fail(ErrorKind::not_found,
         "{}: has no chat template; give one with --chat-template ({}, or a Jinja file)",
         path.string(), engine::builtin_template_names());
  }
  return text::ChatFormat(sources);
}

void print(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
}

/// One context a line in, one JSON string or {"error": ...} a line out: a refused conversation is
/// an answer like any other.
void render_lines(const TemplateOptions& options, const text::ChatFormat& format,
                  std::optional<std::tm> now) {
  LineFile contexts(options.context);
  for (std::string_view line; contexts.next(line);) {
    nlohmann::ordered_json answer;
    try {
      answer = text::joined(format.render_json(line, "", now));
    } catch (const Error& error) {
      answer = {{"error", error.message()}};
    }
    print(answer.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + '\n');
  }
}

void run_template(const TemplateOptions& options) {
  std::optional<std::tm> now;
  if (!options.now.empty()) now = parse_clock_time(options.now, "--now");
  const text::ChatFormat format = load_format(options);
  if (options.jsonl) return render_lines(options, format, now);
  const std::string context = read_text(std::nullopt, options.context, "context");
  print(text::joined(format.render_json(context, "", now)));
}

}  // namespace

void add_template_command(CLI::App& app) {
  auto options = std::make_shared<TemplateOptions>();
  CLI::App* command =
      app.add_subcommand("template", "Render a conversation with a model's chat template");
  command->footer(
      "Examples:\n"
      "  cairn template smollm2 --context talk.json\n"
      "  cairn template chat.jinja --context talk.json --now \"2026-07-01 12:34:56\"\n"
      "  cairn template smollm2 --jsonl < talks.jsonl\n\n"
      "A context is a JSON object of the template's variables: {\"messages\": [{\"role\": "
      "\"user\",\n"
      "\"content\": \"Hi\"}], \"tools\": [...], \"add_generation_prompt\": true, ...}. Standard "
      "output\n"
      "gets the text and nothing else; with --jsonl one JSON string, or {\"error\": ...}, for "
      "each\n"
      "line.");
  add_model_argument(*command, options->model)
      ->description("A .jinja file, or a model: a file, a folder, or a name (cairn list)");
  command->add_option("--context", options->context, "File with the context; else standard input");
  command->add_option("--now", options->now, "The time that the template sees [the local time]");
  command->add_option("--chat-template", options->chat_template,
                      "Another of the model's templates by name, a builtin one, or a Jinja file");
  command->add_flag("--jsonl", options->jsonl, "A context in each line, an answer in each line");
  command->callback([options] { run_template(*options); });
}

}  // namespace cairn::cli
