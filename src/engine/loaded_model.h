#pragma once
// A checkpoint made ready: backend, weights, tokenizer, chat template and the model's own defaults,
// owned together and freed in the right order. Immutable after construction, except that the
// backend serves one Session at a time.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "base/context.h"
#include "checkpoint/checkpoint.h"
#include "models/model.h"
#include "schedule/sampling_parameters.h"
#include "text/chat_template.h"
#include "text/tokenizer.h"

namespace cairn::engine {

struct LoadOptions {
  std::string backend = "cpu";  // "cpu" or "reference"
  DType weights = DType::none;  // 16- and 32-bit matrices become this while loading; none: as filed
  /// Called while weights are prepared; may be empty.
  std::function<void(std::int64_t done_bytes, std::int64_t all_bytes)> on_progress;
  /// False for token-level work on files without a tokenizer; then tokenizer() CHECKs.
  bool needs_tokenizer = true;
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

  bool has_tokenizer() const { return tokenizer_ != nullptr; }
  const text::Tokenizer& tokenizer() const;
  /// Null: the model has no template (a base model).
  const text::ChatTemplate* chat_template() const { return chat_template_.get(); }
  /// bos and eos as the template wants them; add_generation_prompt is true.
  text::ChatTemplateOptions chat_template_options() const;

  /// llama.cpp's defaults overwritten by general.sampling.* or generation_config.*.
  const SamplingParameters& sampling_defaults() const { return sampling_defaults_; }
  /// For Request::end_tokens.
  const std::vector<TokenId>& end_tokens() const { return end_tokens_; }

 private:
  void load_text();

  Context& context_;
  std::unique_ptr<checkpoint::Checkpoint> checkpoint_;
  std::unique_ptr<backend::Backend> backend_;
  std::unique_ptr<models::Model> model_;
  std::unique_ptr<text::Tokenizer> tokenizer_;
  std::unique_ptr<text::ChatTemplate> chat_template_;
  SamplingParameters sampling_defaults_;
  std::vector<TokenId> end_tokens_;
  std::int64_t weight_bytes_ = 0;
};

}  // namespace cairn::engine
