#pragma once
// For tests: a random tiny model of any family, written as a Hugging Face folder that goes away
// with the object.

#include <unistd.h>

#include <atomic>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "base/random.h"

namespace cairn::models {

class TestFolder {
 public:
  static constexpr std::size_t kVocabulary = 96;
  static constexpr std::size_t kWidth = 64;
  static constexpr std::size_t kHidden = 96;
  static constexpr std::size_t kHeads = 4;
  static constexpr std::size_t kKvHeads = 2;
  static constexpr std::size_t kHeadDim = 32;
  static constexpr std::size_t kLayers = 2;

  /// `model_type` as in config.json: llama, mistral, qwen2, qwen3 or gemma3_text. `changed`: keys
  /// of config.json whose values (JSON) differ from the usual.
  explicit TestFolder(const std::string& model_type,
                      const std::map<std::string, std::string>& changed = {});
  ~TestFolder();
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  struct NamedShape {
    std::string name;
    std::vector<std::size_t> shape;
  };
  void write_config(const std::string& model_type,
                    const std::map<std::string, std::string>& changed) const;
  void write_weights(const std::vector<NamedShape>& tensors) const;
  static std::vector<NamedShape> tensors_of(const std::string& model_type);
  static bool is_gemma(const std::string& model_type) { return model_type == "gemma3_text"; }
  static void append_u64(std::string& text, std::uint64_t value);
  static float random_weight(bool is_norm, bool gemma, std::size_t columns, std::uint64_t seed,
                             std::uint32_t index);

  std::filesystem::path path_;
};

inline TestFolder::TestFolder(const std::string& model_type,
                              const std::map<std::string, std::string>& changed) {
  static std::atomic<int> count{0};
  path_ = std::filesystem::temp_directory_path() /
          ("cairn_models_test_" + std::to_string(getpid()) + "_" + std::to_string(count++));
  std::filesystem::create_directories(path_);
  write_config(model_type, changed);
  write_weights(tensors_of(model_type));
}

inline TestFolder::~TestFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

inline void TestFolder::write_config(const std::string& model_type,
                                     const std::map<std::string, std::string>& changed) const {
  std::map<std::string, std::string> config{
      {"model_type", '"' + model_type + '"'},
      {"vocab_size", std::to_string(kVocabulary)},
      {"hidden_size", std::to_string(kWidth)},
      {"intermediate_size", std::to_string(kHidden)},
      {"num_hidden_layers", std::to_string(kLayers)},
      {"num_attention_heads", std::to_string(kHeads)},
      {"num_key_value_heads", std::to_string(kKvHeads)},
      {"head_dim", std::to_string(kHeadDim)},
      {"max_position_embeddings", "512"},
      {"rms_norm_eps", "1e-6"},
      {"rope_theta", "10000.0"},
      {"tie_word_embeddings", is_gemma(model_type) ? "true" : "false"},
  };
  if (model_type == "mistral") config["sliding_window"] = "24";
  if (is_gemma(model_type)) {
    config["sliding_window"] = "20";
    config["sliding_window_pattern"] = "2";
    config["query_pre_attn_scalar"] = "24";
  }
  for (const auto& [key, value] : changed) config[key] = value;
  std::ofstream file(path_ / "config.json");
  const char* separator = "{";
  for (const auto& [key, value] : config) {
    file << separator << "\n\"" << key << "\": " << value;
    separator = ",";
  }
  file << "}\n";
}

inline std::vector<TestFolder::NamedShape> TestFolder::tensors_of(const std::string& model_type) {
  std::vector<NamedShape> tensors{{"model.embed_tokens.weight", {kVocabulary, kWidth}},
                                  {"model.norm.weight", {kWidth}}};
  if (!is_gemma(model_type)) tensors.push_back({"lm_head.weight", {kVocabulary, kWidth}});
  for (std::size_t layer = 0; layer < kLayers; ++layer) {
    const std::string at = "model.layers." + std::to_string(layer) + ".";
    const auto add = [&](const std::string& name, std::vector<std::size_t> shape) {
      tensors.push_back({at + name, std::move(shape)});
    };
    add("self_attn.q_proj.weight", {kHeads * kHeadDim, kWidth});
    add("self_attn.k_proj.weight", {kKvHeads * kHeadDim, kWidth});
    add("self_attn.v_proj.weight", {kKvHeads * kHeadDim, kWidth});
    add("self_attn.o_proj.weight", {kWidth, kHeads * kHeadDim});
    add("mlp.gate_proj.weight", {kHidden, kWidth});
    add("mlp.up_proj.weight", {kHidden, kWidth});
    add("mlp.down_proj.weight", {kWidth, kHidden});
    add("input_layernorm.weight", {kWidth});
    add("post_attention_layernorm.weight", {kWidth});
    if (model_type == "qwen2") {
      add("self_attn.q_proj.bias", {kHeads * kHeadDim});
      add("self_attn.k_proj.bias", {kKvHeads * kHeadDim});
      add("self_attn.v_proj.bias", {kKvHeads * kHeadDim});
    }
    if (model_type == "qwen3" || is_gemma(model_type)) {
      add("self_attn.q_norm.weight", {kHeadDim});
      add("self_attn.k_norm.weight", {kHeadDim});
    }
    if (is_gemma(model_type)) {
      add("pre_feedforward_layernorm.weight", {kWidth});
      add("post_feedforward_layernorm.weight", {kWidth});
    }
  }
  return tensors;
}

inline void TestFolder::write_weights(const std::vector<NamedShape>& tensors) const {
  const bool gemma = tensors[2].name != "lm_head.weight";
  std::string header;
  std::string data;
  std::uint64_t seed = 17;
  for (const NamedShape& tensor : tensors) {
    const std::size_t begin = data.size();
    std::size_t count = 1;
    std::string shape;
    for (const std::size_t size : tensor.shape) {
      count *= size;
      shape += (shape.empty() ? "" : ",") + std::to_string(size);
    }
    const bool is_norm = tensor.name.find("norm") != std::string::npos;
    ++seed;
    for (std::uint32_t i = 0; i < count; ++i) {
      const float value = random_weight(is_norm, gemma, tensor.shape.back(), seed, i);
      data.append(reinterpret_cast<const char*>(&value), sizeof(value));
    }
    header += (header.empty() ? "{\"" : ",\"") + tensor.name + R"(":{"dtype":"F32","shape":[)" +
              shape + R"(],"data_offsets":[)" + std::to_string(begin) + "," +
              std::to_string(data.size()) + "]}";
  }
  header += "}";
  std::string prefix;
  append_u64(prefix, header.size());
  std::ofstream(path_ / "model.safetensors", std::ios::binary) << prefix << header << data;
}

inline void TestFolder::append_u64(std::string& text, std::uint64_t value) {
  for (int byte = 0; byte < 8; ++byte) text += static_cast<char>(value >> (8 * byte));
}

/// Norms around 1 (around 0 for Gemma, which stores weight - 1), matrices that keep the scale.
inline float TestFolder::random_weight(bool is_norm, bool gemma, std::size_t columns,
                                       std::uint64_t seed, std::uint32_t index) {
  const double noise = 2 * base::uniform_draw(seed, 0, index, base::DrawPurpose::test) - 1;
  if (is_norm) return static_cast<float>((gemma ? 0.0 : 1.0) + 0.3 * noise);
  return static_cast<float>(2.2 * noise / std::sqrt(static_cast<double>(columns)));
}

}  // namespace cairn::models
