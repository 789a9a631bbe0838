#include "cli/model_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/error.h"
#include "cli/command.h"
#include "cli/known_models.h"
#include "cli/model_name.h"
#include "cli/progress.h"
#include "engine/chat_template_loader.h"

namespace cairn::cli {
namespace {

DType number_format(const std::string& flag, const std::string& name) {
  const tensor::Format* format = tensor::find_format(name);
  if (format == nullptr || format->encode == nullptr) {
    fail(ErrorKind::invalid_argument, "{} {}: no such number format; try f16 or q8_0", flag, name);
  }
  return format->dtype;
}

// CLI11 takes what this returns for the complaint; empty: none.
std::string problem_of_keywords(const std::string& text) {
  const auto keywords = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  return keywords.is_object() ? "" : "expected a JSON object, found " + text;
}

}  // namespace

void add_model_options(CLI::App& command, ModelOptions& options) {
  add_model_argument(command, options.model);
  add_threads_option(command, options.threads);
  command.add_option("--backend", options.backend, "cpu, or reference: plain loops, slow")
      ->check(CLI::IsMember({"cpu", "reference"}))
      ->capture_default_str();
  const CLI::IsMember kv_types({"f16", "bf16", "f32", "q8_0", "q4_0"});
  command
      .add_option("--kv-type", options.kv_type,
                  "Number format of keys and values: f16, bf16, f32, q8_0 or q4_0 [f16; reference: "
                  "f32]")
      ->check(kv_types);
  command.add_option("--kv-type-k", options.kv_type_k, "The same for keys alone")->check(kv_types);
  command.add_option("--kv-type-v", options.kv_type_v, "The same for values alone")
      ->check(kv_types);
  command.add_option("--weights", options.weights,
                     "Quantize 16-bit weights while loading: q8_0, q4_0, ...");
  add_pre_tokenizer_option(command, options.pre_tokenizer);
}

void add_chat_template_option(CLI::App& command, ModelOptions& options) {
  command.add_option(
      "--chat-template", options.chat_template,
      fmt::format("Another of the model's chat templates by name, a builtin one ({}), "
                  "or a Jinja file",
                  engine::builtin_template_names()));
}

void add_chat_keywords_option(CLI::App& command, ModelOptions& options) {
  command
      .add_option("--chat-keywords", options.chat_keywords,
                  "More variables for the template, as JSON: {\"enable_thinking\": false}")
      ->check(problem_of_keywords);
}

void add_pre_tokenizer_option(CLI::App& command, std::string& pre_tokenizer) {
  command.add_option("--pre-tokenizer", pre_tokenizer,
                     "How text is split before BPE, where a GGUF file names it wrongly: llama-bpe, "
                     "qwen2, ...");
}

void add_context_option(CLI::App& command, ModelOptions& options) {
  command
      .add_option("-c,--context", options.context_tokens,
                  "Longest prompt and answer together, in tokens; 0: the model's, or what fits")
      ->check(CLI::Range(0, 1 << 30))
      ->capture_default_str();
}

std::unique_ptr<engine::LoadedModel> load(const ModelOptions& options, Context& context,
                                          const LoadNeeds& needs) {
  std::optional<Progress> progress;
  engine::LoadOptions load_options;
  load_options.backend = options.backend;
  load_options.needs_tokenizer = needs.tokenizer;
  load_options.pre_tokenizer = options.pre_tokenizer;
  load_options.chat_template = options.chat_template;
  if (!options.weights.empty()) load_options.weights = number_format("--weights", options.weights);
  load_options.plan_for = needs.plan;
  load_options.on_plan = [&](const engine::MemoryPlan& plan) {
    if (!needs.print_plan) return;
    fmt::print(stderr, "context {} tokens: {}\n", plan.context_tokens,
               engine::describe(plan, *needs.plan));
  };
  const std::filesystem::path path = resolve_model(options.model);
  if (const KnownModel* known = find_known_model(path.stem().string())) {
    load_options.sampling.temperature = known->sampling.temperature;
    load_options.sampling.top_k = known->sampling.top_k;
    load_options.sampling.top_p = known->sampling.top_p;
  }
  load_options.on_progress = [&](std::int64_t done_bytes, std::int64_t all_bytes) {
    if (!progress) progress.emplace("loading", all_bytes, ProgressUnit::bytes);
    progress->update(done_bytes);
  };
  return std::make_unique<engine::LoadedModel>(path, load_options, context);
}

EngineOptions engine_options(const ModelOptions& options) {
  EngineOptions engine;
  engine.context_tokens = options.context_tokens;
  const std::string fallback = options.backend == "reference" ? "f32" : "f16";
  const std::string& both = options.kv_type.empty() ? fallback : options.kv_type;
  const auto chosen = [&](const std::string& own) { return own.empty() ? both : own; };
  engine.key_type = number_format("--kv-type-k", chosen(options.kv_type_k));
  engine.value_type = number_format("--kv-type-v", chosen(options.kv_type_v));
  return engine;
}

}  // namespace cairn::cli
