#include "models/transformer_sizes.h"

#include "base/error.h"

namespace cairn::models {
namespace {

// Far above every model there is, and small enough that products of three of them fit 64 bits.
constexpr std::int64_t kMostLayers = 4096;
constexpr std::int64_t kMostHeads = 1 << 16;
constexpr std::int64_t kMostWidth = 1 << 20;
constexpr std::int64_t kMostTokens = 1 << 30;

std::int64_t optional_size(const checkpoint::Hyperparameters& hyperparameters,
                           std::string_view name, std::int64_t fallback, std::int64_t maximum) {
  if (!hyperparameters.integer(name)) return fallback;
  return hyperparameters.require_integer(name, 1, maximum);
}

/// config.json says it; some GGUF files only by the rows of their embedding.
std::int64_t read_vocabulary(const checkpoint::Hyperparameters& hyperparameters) {
  if (!hyperparameters.integer("vocab_size")) {
    const auto* embedding = hyperparameters.checkpoint().find("token_embd.weight");
    if (embedding != nullptr && embedding->view.rows() > 0) return embedding->view.rows();
  }
  return hyperparameters.require_integer("vocab_size", 1, kMostTokens);
}

void check_heads(const checkpoint::Hyperparameters& hyperparameters,
                 const TransformerSizes& sizes) {
  const std::string& file = hyperparameters.checkpoint().metadata().source();
  if (sizes.heads % sizes.kv_heads != 0) {
    fail(ErrorKind::corrupt, "{}: \"{}\" is {}, which does not divide the {} heads of \"{}\"", file,
         hyperparameters.key_of("attention.head_count_kv"), sizes.kv_heads, sizes.heads,
         hyperparameters.key_of("attention.head_count"));
  }
  if (sizes.key_dim == 0 || sizes.key_dim % 2 != 0) {
    fail(ErrorKind::corrupt, "{}: heads of {} values, expected an even number; see \"{}\"", file,
         sizes.key_dim, hyperparameters.key_of("attention.key_length"));
  }
}

}  // namespace

TransformerSizes read_sizes(const checkpoint::Hyperparameters& hyperparameters) {
  TransformerSizes sizes;
  sizes.vocabulary = read_vocabulary(hyperparameters);
  sizes.width = hyperparameters.require_integer("embedding_length", 1, kMostWidth);
  sizes.layers = hyperparameters.require_integer("block_count", 1, kMostLayers);
  sizes.heads = hyperparameters.require_integer("attention.head_count", 1, kMostHeads);
  sizes.kv_heads =
      optional_size(hyperparameters, "attention.head_count_kv", sizes.heads, kMostHeads);
  const std::int64_t usual_dim = sizes.width / sizes.heads;
  sizes.key_dim = optional_size(hyperparameters, "attention.key_length", usual_dim, kMostWidth);
  sizes.value_dim =
      optional_size(hyperparameters, "attention.value_length", sizes.key_dim, kMostWidth);
  sizes.hidden = hyperparameters.require_integer("feed_forward_length", 1, kMostWidth);
  sizes.context_length = hyperparameters.require_integer("context_length", 1, kMostTokens);
  sizes.epsilon =
      static_cast<float>(hyperparameters.require_number("attention.layer_norm_rms_epsilon"));
  check_heads(hyperparameters, sizes);
  return sizes;
}

void require_activation(const checkpoint::Hyperparameters& hyperparameters,
                        std::string_view expected) {
  const auto found = hyperparameters.text("mlp.activation");
  if (!found || *found == expected) return;
  fail(ErrorKind::unsupported,
       "{}: \"{}\" is \"{}\"; this build runs \"{}\" in models of type \"{}\"",
       hyperparameters.checkpoint().metadata().source(), hyperparameters.key_of("mlp.activation"),
       *found, expected, hyperparameters.architecture());
}

ModelShape shape_of(const checkpoint::Hyperparameters& hyperparameters,
                    const TransformerSizes& sizes) {
  ModelShape shape;
  shape.architecture = hyperparameters.architecture();
  shape.vocabulary = sizes.vocabulary;
  shape.width = sizes.width;
  shape.layers = sizes.layers;
  shape.context_length = sizes.context_length;
  for (const checkpoint::NamedTensor& tensor : hyperparameters.checkpoint().tensors()) {
    shape.parameters += tensor.view.shape.elements();
  }
  return shape;
}

}  // namespace cairn::models
