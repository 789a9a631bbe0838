#pragma once
// The flags of every command that loads a model, and the loading itself.

#include <cstdint>
#include <memory>
#include <string>

#include "engine/engine_options.h"
#include "engine/loaded_model.h"

namespace CLI {
class App;
}

namespace cairn::cli {

struct ModelOptions {
  std::string model;
  int threads = 0;
  std::string backend = "cpu";
  std::string kv_type;    // empty: f16, or f32 on the reference backend
  std::string kv_type_k;  // empty: kv_type
  std::string kv_type_v;
  std::string weights;  // empty: as in the file
  std::int32_t context_tokens = 0;
  std::string pre_tokenizer;  // empty: as the file says
  std::string chat_template;  // empty: the model's
  std::string chat_keywords;  // a JSON object, or empty
};

/// MODEL, --threads, --backend, --kv-type (-k, -v), --weights.
void add_model_options(CLI::App& command, ModelOptions& options);
/// --context, for commands whose sequences may grow.
void add_context_option(CLI::App& command, ModelOptions& options);
/// --chat-template, for commands that render conversations.
void add_chat_template_option(CLI::App& command, ModelOptions& options);
/// --chat-keywords, for those whose conversations bring no keywords of their own.
void add_chat_keywords_option(CLI::App& command, ModelOptions& options);
/// --pre-tokenizer, for commands that load no weights.
void add_pre_tokenizer_option(CLI::App& command, std::string& pre_tokenizer);

struct LoadNeeds {
  bool tokenizer = true;
  /// If set: the byte plan for these must fit before weights are loaded.
  const EngineOptions* plan = nullptr;
  bool print_plan = false;  // to stderr
};

/// Loads, with a progress bar where it takes over a second. `context` must outlive the model.
std::unique_ptr<engine::LoadedModel> load(const ModelOptions& options, Context& context,
                                          const LoadNeeds& needs);

/// Context and KV type as asked for; everything else is the default.
EngineOptions engine_options(const ModelOptions& options);

}  // namespace cairn::cli
