// Real models against the f32 truth for the very files (Hugging Face transformers on the
// dequantized weights): Kullback-Leibler divergence at every stored position, mean negative log
// likelihood, greedy continuations. Needs the models (CAIRN_MODELS, a folder) and the stored
// logits.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "checkpoint/checkpoint.h"
#include "models/registry.h"
#include "models/test_backends.h"
#include "models/test_harness.h"

namespace cairn::models {
namespace {

using nlohmann::json;

struct Truth {
  json stored;
  std::filesystem::path model;
};

/// Nothing, with a reason, where the data is not there.
std::optional<Truth> find_truth(const std::string& name, std::string& missing) {
  const auto logits =
      std::filesystem::path(CAIRN_SOURCE_DIR) / "../shared/conformance/logits" / (name + ".json");
  const char* const models = std::getenv("CAIRN_MODELS");
  if (!std::filesystem::exists(logits)) {
    missing = logits.string() + " is missing: no truth to compare with";
  } else if (models == nullptr) {
    missing = "CAIRN_MODELS is not set: it names the folder with the real models";
  } else if (!std::filesystem::exists(std::filesystem::path(models) / (name + ".gguf"))) {
    missing = name + ".gguf is not in " + models;
  } else {
    return Truth{json::parse(std::ifstream(logits)),
                 std::filesystem::path(models) / (name + ".gguf")};
  }
  return std::nullopt;
}

std::vector<TokenId> tokens_of(const json& ids) {
  std::vector<TokenId> tokens;
  for (const json& id : ids) tokens.emplace_back(id.get<std::int32_t>());
  return tokens;
}

double log_sum_exp(std::span<const float> logits) {
  const double highest = *std::ranges::max_element(logits);
  double sum = 0;
  for (const float logit : logits) sum += std::exp(static_cast<double>(logit) - highest);
  return highest + std::log(sum);
}

/// Over the stored ids and one bucket for all others.
double divergence(const json& position, std::span<const float> logits) {
  const double lse = position["lse"];
  const double own_lse = log_sum_exp(logits);
  double kl = 0, rest = 1, own_rest = 1;
  for (const json& entry : position["top"]) {
    const double log_p = entry[1].get<double>() - lse;
    const double log_q = logits[entry[0].get<std::size_t>()] - own_lse;
    kl += std::exp(log_p) * (log_p - log_q);
    rest -= std::exp(log_p);
    own_rest -= std::exp(log_q);
  }
  constexpr double kTiny = 1e-12;  // what is left of 1 after sums in f64 of values known in f32
  if (rest > kTiny) kl += rest * std::log(rest / std::max(own_rest, kTiny));
  return kl;
}

struct Comparison {
  double largest_kl = 0;
  double mean_kl = 0;
  double nll = 0;           // of all tokens but the first
  double worst_margin = 0;  // of the truth, where the top-1 differs
  std::size_t same_top = 0;
  std::size_t positions = 0;
};

Comparison compare(const json& stored, std::span<const float> logits, std::size_t vocabulary) {
  Comparison result;
  const auto row = [&](std::size_t position) {
    return logits.subspan(position * vocabulary, vocabulary);
  };
  for (const json& position : stored["positions"]) {
    const auto own = row(position["position"]);
    const double kl = divergence(position, own);
    result.largest_kl = std::max(result.largest_kl, kl);
    result.mean_kl += kl;
    const auto top = static_cast<std::size_t>(std::ranges::max_element(own) - own.begin());
    const auto& best = position["top"];
    if (best[0][0] == top) {
      ++result.same_top;
    } else {
      result.worst_margin =
          std::max(result.worst_margin, best[0][1].get<double>() - best[1][1].get<double>());
    }
    ++result.positions;
  }
  result.mean_kl /= static_cast<double>(result.positions);
  const auto tokens = tokens_of(stored["tokens"]);
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    result.nll += log_sum_exp(row(i)) - row(i)[static_cast<std::size_t>(tokens[i + 1].value)];
  }
  result.nll /= static_cast<double>(tokens.size() - 1);
  return result;
}

/// Greedy tokens equal the stored ones up to the first that was nearly a tie.
void expect_greedy(TestBackend& backend, const Model& model, const json& prompt, DType kv_type) {
  constexpr double kNearTie = 1e-3;
  const auto tokens = tokens_of(prompt["tokens"]);
  const auto greedy = tokens_of(prompt["greedy"]);
  TestHarness harness(*backend, model, kv_type, 1,
                      static_cast<std::int32_t>(tokens.size() + greedy.size()));
  const auto vocabulary = static_cast<std::ptrdiff_t>(model.shape().vocabulary);
  std::vector<float> logits = harness.run(tokens, tokens.size());
  for (std::size_t i = 0; i < greedy.size(); ++i) {
    if (prompt["margin"][i].get<double>() < kNearTie) return;
    const auto last = logits.end() - vocabulary;
    ASSERT_EQ(std::max_element(last, logits.end()) - last, greedy[i].value) << "token " << i;
    logits = harness.run(std::span(greedy).subspan(i, 1), 1);
  }
}

struct RealModel {
  const char* name;
  double cpu_mean_kl;  // at most; llama.cpp's on the same file, and a little more
};

class RealModels : public testing::TestWithParam<RealModel> {};

TEST_P(RealModels, ReferenceIsTheTruth) {
  std::string missing;
  const auto truth = find_truth(GetParam().name, missing);
  if (!truth) GTEST_SKIP() << missing;
  TestBackend backend("reference", base::usable_core_count());
  const auto checkpoint = checkpoint::open_checkpoint(truth->model);
  const auto model = load_model(*checkpoint, *backend);
  const auto tokens = tokens_of(truth->stored["tokens"]);
  TestHarness harness(*backend, *model, DType::f32, 1, static_cast<std::int32_t>(tokens.size()));
  const auto logits = harness.run(tokens, tokens.size());
  const auto found =
      compare(truth->stored, logits, static_cast<std::size_t>(model->shape().vocabulary));
  EXPECT_LT(found.largest_kl, 1e-5);
  EXPECT_NEAR(found.nll, truth->stored["nll"].get<double>(), 1e-4);
  for (const json& prompt : truth->stored["prompts"]) {
    expect_greedy(backend, *model, prompt, DType::f32);
  }
  RecordProperty("largest_kl", std::to_string(found.largest_kl * 1e9) + "e-9");
  RecordProperty("nll", std::to_string(found.nll));
}

TEST_P(RealModels, CpuRoundsLittle) {
  std::string missing;
  const auto truth = find_truth(GetParam().name, missing);
  if (!truth) GTEST_SKIP() << missing;
  TestBackend backend("cpu", base::usable_core_count());
  const auto checkpoint = checkpoint::open_checkpoint(truth->model);
  const auto model = load_model(*checkpoint, *backend);
  const auto tokens = tokens_of(truth->stored["tokens"]);
  TestHarness harness(*backend, *model, DType::f16, 1, static_cast<std::int32_t>(tokens.size()));
  const auto logits = harness.run(tokens, tokens.size());
  const auto found =
      compare(truth->stored, logits, static_cast<std::size_t>(model->shape().vocabulary));
  EXPECT_LE(found.mean_kl, GetParam().cpu_mean_kl);
  EXPECT_LT(found.worst_margin, 0.25) << "where the top-1 differs from the truth's";
  RecordProperty("mean_kl", std::to_string(found.mean_kl));
  RecordProperty("same_top",
                 std::to_string(found.same_top) + " of " + std::to_string(found.positions));
  RecordProperty("nll", std::to_string(found.nll));
}

INSTANTIATE_TEST_SUITE_P(Truth, RealModels,
                         testing::Values(RealModel{"smollm2-135m-instruct-q4_1", 0.0028},
                                         RealModel{"gemma-3-270m-q4_k_m", 0.0064},
                                         RealModel{"qwen2.5-coder-0.5b-instruct-q4_k_m", 0.0013}),
                         [](const auto& test) {
                           std::string name = test.param.name;
                           std::ranges::replace_if(
                               name, [](char c) { return c == '-' || c == '.'; }, '_');
                           return name;
                         });

}  // namespace
}  // namespace cairn::models
