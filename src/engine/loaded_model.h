#pragma once
// A checkpoint made ready: backend, weights, tokenizer, chat template and the model's own defaults,
// owned together and freed in the right order. Immutable after construction, except that the
// backend serves one Session at a time.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "base/context.h"
#include "base/error.h"
#include "checkpoint/checkpoint.h"
#include "engine/memory_plan.h"
#include "models/model.h"
#include "schedule/sampling_parameters.h"
#include "text/chat_format.h"
#include "text/tokenizer.h"

namespace cairn::engine {

struct LoadOptions {
  /// If set, the byte plan for these is made, told to on_plan and required to fit before any weight
  /// is loaded.
  const EngineOptions* plan_for = nullptr;
  std::function<void(const MemoryPlan&)> on_plan;
  std::string backend = "cpu";  // "cpu" or "reference"
  DType weights = DType::none;  // 16- and 32-bit matrices become this while loading; none: as filed
  /// Called while weights are prepared; may be empty.
  std::function<void(std::int64_t done_bytes, std::int64_t all_bytes)> on_progress;
  /// False for work on token ids alone: no tokenizer is loaded, and tokenizer() CHECKs.
  bool needs_tokenizer = true;
  SamplingParameters sampling;  // sampling_defaults() where the model does not say them
  std::string pre_tokenizer;    // instead of the one that the file names; empty: the file's
  std::string chat_template;    // a name or a file, see chat_template_loader.h; empty: the model's
};

class LoadedModel {
 public:
  /// Opens and loads. `context` must outlive this. Throws not_found, corrupt, unsupported, io or
  /// invalid_argument (an unknown backend).
  LoadedModel(const std::filesystem::path& path, const LoadOptions& options, Context& context);
  ~LoadedModel();
  LoadedModel(const LoadedModel&) = delete;
  LoadedModel& operator=(const LoadedModel&) = delete;

  Context& context() const { return context_; }
  const checkpoint::Checkpoint& checkpoint() const { return *checkpoint_; }
  backend::Backend& backend() const { return *backend_; }
  const models::Model& model() const { return *model_; }
  /// Bytes of all weights in memory or mapped, for the byte plan.
  std::int64_t weight_bytes() const { return weight_bytes_; }
  /// What the process could take before the weights were loaded.
  std::int64_t available_bytes() const { return available_bytes_; }

  bool has_tokenizer() const { return tokenizer_ != nullptr; }
  const text::Tokenizer& tokenizer() const;
  /// Null: the model has no template (a base model), and none was given.
  const text::ChatFormat* chat_format() const { return chat_format_.get(); }
  /// The same, or invalid_argument that says how to give a template.
  const text::ChatFormat& require_chat_format() const;

  /// LoadOptions::sampling, overwritten by general.sampling.* or generation_config.*.
  const SamplingParameters& sampling_defaults() const { return sampling_defaults_; }
  /// For Request::end_tokens.
  const std::vector<TokenId>& end_tokens() const { return end_tokens_; }
  /// For SamplingParameters::dry_breaker_table: null without a tokenizer. Kept from call to call;
  /// thread-safe.
  std::shared_ptr<const schedule::BreakerTable> breaker_table(
      const std::vector<std::string>& breakers) const;

 private:
  void require_plan(const LoadOptions& options) const;
  /// `text` is read meanwhile, if it is anything: where it fails, no more weights are loaded.
  void load_weights(const LoadOptions& options, std::future<void>& text);
  void load_text(const LoadOptions& options);

  Context& context_;
  std::unique_ptr<checkpoint::Checkpoint> checkpoint_;
  std::unique_ptr<backend::Backend> backend_;
  std::unique_ptr<models::Model> model_;
  std::unique_ptr<text::Tokenizer> tokenizer_;
  std::unique_ptr<text::ChatFormat> chat_format_;
  SamplingParameters sampling_defaults_;
  std::vector<TokenId> end_tokens_;
  std::int64_t weight_bytes_ = 0;
  std::int64_t available_bytes_ = 0;
  mutable std::mutex breaker_mutex_;
  mutable std::map<std::vector<std::string>, std::shared_ptr<const schedule::BreakerTable>>
      breaker_tables_;
};

}  // namespace cairn::engine
