// What choosing one token costs at a large vocabulary, beside a decode step of several
// milliseconds.

#include <benchmark/benchmark.h>

#include <random>
#include <vector>

#include "engine/sampler.h"

namespace cairn::engine {
namespace {

constexpr std::int64_t kVocabulary = 151936;

void draw_tokens(benchmark::State& state, const SamplingParameters& parameters) {
  std::mt19937 generator(1);
  std::normal_distribution<float> distribution(0.0f, 3.0f);
  std::vector<float> logits(kVocabulary);
  for (float& logit : logits) logit = distribution(generator);
  const std::vector<TokenId> history(1000, TokenId(7));
  std::vector<schedule::TokenLogprob> tops;
  Sampler sampler(kVocabulary, 4096);
  std::uint32_t position = 0;
  for (auto _ : state) {
    tops.clear();
    benchmark::DoNotOptimize(
        sampler.sample({logits, parameters, history, {}, 0, position++}, tops));
  }
}

void BM_Greedy(benchmark::State& state) {
  draw_tokens(state, {.temperature = 0.0f});
}
void BM_DefaultChain(benchmark::State& state) {
  draw_tokens(state, {});
}
void BM_DefaultChainWithDry(benchmark::State& state) {
  draw_tokens(state, {.repetition_penalty = 1.1f, .dry_multiplier = 0.8f});
}
void BM_DefaultChainWithLogprobs(benchmark::State& state) {
  draw_tokens(state, {.top_logprobs = 5});
}
void BM_NucleusOfAll(benchmark::State& state) {
  draw_tokens(state, {.top_k = 0, .top_p = 0.9f, .min_p = 0.0f});
}
void BM_WholeVocabulary(benchmark::State& state) {
  draw_tokens(state, {.top_k = 0, .top_p = 1.0f, .min_p = 0.0f});
}

BENCHMARK(BM_Greedy);
BENCHMARK(BM_DefaultChain);
BENCHMARK(BM_DefaultChainWithDry);
BENCHMARK(BM_DefaultChainWithLogprobs);
BENCHMARK(BM_NucleusOfAll);
BENCHMARK(BM_WholeVocabulary);

}  // namespace
}  // namespace cairn::engine
