#include "engine/loaded_model.h"

#include <algorithm>
#include <chrono>

#include "backend/cost/cost_backend.h"
#include "engine/backend_factory.h"
#include "engine/chat_template_loader.h"
#include "engine/generation_defaults.h"
#include "engine/sampling_breakers.h"
#include "engine/tokenizer_loader.h"
#include "models/registry.h"
#include "text/pre_tokenizer.h"

namespace cairn::engine {
namespace {

constexpr std::size_t kKeptBreakerTables = 16;  // clients choose the strings; memory stays bounded

}  // namespace

LoadedModel::LoadedModel(const std::filesystem::path& path, const LoadOptions& options,
                         Context& context)
    : context_(context),
      checkpoint_(checkpoint::open_checkpoint(path)),
      backend_(make_backend(options.backend, context)),
      weight_bytes_(engine::weight_bytes(*checkpoint_, options.weights)),
      available_bytes_(available_memory_bytes()) {
  require_plan(options);
  std::future<void> text;
  if (options.needs_tokenizer) {
    text = std::async(std::launch::async, [&] { load_text(options); });
  }
  load_weights(options, text);
  const std::int64_t vocabulary = model_->shape().vocabulary;
  sampling_defaults_ = engine::sampling_defaults(*checkpoint_, vocabulary, options.sampling);
  for (const TokenId token : configured_end_tokens(*checkpoint_, vocabulary)) {
    if (std::find(end_tokens_.begin(), end_tokens_.end(), token) == end_tokens_.end()) {
      end_tokens_.push_back(token);
    }
  }
}

LoadedModel::~LoadedModel() = default;

void LoadedModel::require_plan(const LoadOptions& options) const {
  if (options.plan_for == nullptr) return;
  backend::CostBackend shapes;
  const auto model = models::load_model(*checkpoint_, shapes);
  const MemoryPlan plan = plan_memory(*model, weight_bytes_, *options.plan_for, available_bytes_);
  if (options.on_plan) options.on_plan(plan);
  require_fit(plan, *options.plan_for, available_bytes_);
}

void LoadedModel::load_weights(const LoadOptions& options, std::future<void>& text) {
  std::int64_t all_bytes = 0;
  for (const checkpoint::NamedTensor& tensor : checkpoint_->tensors()) {
    all_bytes += static_cast<std::int64_t>(tensor.bytes.size());
  }
  std::int64_t done_bytes = 0;
  models::LoadOptions load;
  load.quantize_to = options.weights;
  load.context = &context_;
  load.on_weight = [&](std::int64_t bytes) {
    const bool is_read =
        text.valid() && text.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
    if (is_read) text.get();  // throws what was wrong with it
    if (options.on_progress) options.on_progress(done_bytes += bytes, all_bytes);
  };
  model_ = models::load_model(*checkpoint_, *backend_, load);
  if (text.valid()) text.get();
  if (options.on_progress) options.on_progress(all_bytes, all_bytes);
}

void LoadedModel::load_text(const LoadOptions& options) {
  tokenizer_ = load_tokenizer(*checkpoint_, options.pre_tokenizer);
  const std::string warning = text::pre_tokenizer_warning(tokenizer_->vocabulary());
  if (!warning.empty()) context_.log.warning("{}: {}", checkpoint_->path().string(), warning);
  end_tokens_ = tokenizer_->vocabulary().end_of_generation;
  text::ChatSources chat = load_chat_sources(*checkpoint_);
  if (!options.chat_template.empty()) choose_chat_template(chat, options.chat_template);
  if (!chat.templates.empty()) chat_format_ = std::make_unique<text::ChatFormat>(chat);
}

const text::Tokenizer& LoadedModel::tokenizer() const {
  CHECK(tokenizer_ != nullptr, "loaded without a tokenizer");
  return *tokenizer_;
}

const text::ChatFormat& LoadedModel::require_chat_format() const {
  if (chat_format_ == nullptr) {
    fail(ErrorKind::invalid_argument,
         "{}: the model has no chat template; give one with --chat-template ({}, or a Jinja file), "
         "or use 'cairn run --raw'",
         checkpoint_->path().string(), builtin_template_names());
  }
  return *chat_format_;
}

std::shared_ptr<const schedule::BreakerTable> LoadedModel::breaker_table(
    const std::vector<std::string>& breakers) const {
  if (tokenizer_ == nullptr) return nullptr;
  {
    const std::scoped_lock lock(breaker_mutex_);
    const auto found = breaker_tables_.find(breakers);
    if (found != breaker_tables_.end()) return found->second;
  }
  auto table = make_breaker_table(*tokenizer_, breakers);
  const std::scoped_lock lock(breaker_mutex_);
  if (breaker_tables_.size() < kKeptBreakerTables) breaker_tables_.emplace(breakers, table);
  return table;
}

}  // namespace cairn::engine
