// What choosing one token costs at a large vocabulary, beside a decode step of several
// milliseconds.

#include <benchmark/benchmark.h>

#include <random>
#include <vector>

#include "engine/sampler.h"

namespace cairn::engine {
namespace {

constexpr std::int64_t kVocabulary = 151936;

/// `lead`: by how much a few logits stand out, as they do in text.
void draw_tokens(benchmark::State& state, const SamplingParameters& parameters, float lead = 0) {
  std::mt19937 generator(1);
  std::normal_distribution<float> distribution(0.0f, 3.0f);
  std::vector<float> logits(kVocabulary);
  for (float& logit : logits) logit = distribution(generator);
  for (std::size_t i = 0; i < 40; ++i) logits[i * 3001] += lead;
  std::vector<TokenId> history;
  for (std::int32_t i = 0; i < 1000; ++i) history.emplace_back(i * 7919 % 600);
  std::vector<schedule::TokenLogprob> tops;
  Sampler sampler(kVocabulary, 4096);
  std::uint32_t position = 0;
  for (auto _ : state) {
    tops.clear();
    benchmark::DoNotOptimize(
        sampler.sample({logits, parameters, history, {}, 0, position++}, tops));
  }
}

void greedy(benchmark::State& state) {
  draw_tokens(state, {.temperature = 0.0f});
}
void default_chain(benchmark::State& state) {
  draw_tokens(state, {});
}
void greedy_with_penalties(benchmark::State& state) {
  draw_tokens(state, {.temperature = 0.0f,
                      .repeat_last_n = SamplingParameters::kWholeHistory,
                      .repetition_penalty = 1.1f,
                      .presence_penalty = 0.2f});
}
void default_chain_with_dry(benchmark::State& state) {
  draw_tokens(state, {.repetition_penalty = 1.1f, .dry_multiplier = 0.8f});
}
void default_chain_with_logprobs(benchmark::State& state) {
  draw_tokens(state, {.top_logprobs = 5});
}
void nucleus_of_all(benchmark::State& state) {
  draw_tokens(state, {.top_k = 0, .top_p = 0.9f, .min_p = 0.0f});
}
void nucleus_of_few(benchmark::State& state) {
  draw_tokens(state, {.top_k = 0, .top_p = 0.9f, .min_p = 0.0f}, 15.0f);
}
void whole_vocabulary(benchmark::State& state) {
  draw_tokens(state, {.top_k = 0, .top_p = 1.0f, .min_p = 0.0f});
}

BENCHMARK(greedy);
BENCHMARK(greedy_with_penalties);
BENCHMARK(default_chain);
BENCHMARK(default_chain_with_dry);
BENCHMARK(default_chain_with_logprobs);
BENCHMARK(nucleus_of_all);
BENCHMARK(nucleus_of_few);
BENCHMARK(whole_vocabulary);

}  // namespace
}  // namespace cairn::engine
