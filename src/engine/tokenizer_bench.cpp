// Text to tokens on one thread. CAIRN_TOKENIZER names a model's file or a tokenizer.json, and
// CAIRN_TEXTS files between colons, which are encoded line by line; bench/tokenizers.py sets both.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "engine/tokenizer_loader.h"
#include "text/tokenizer.h"

namespace cairn::engine {
namespace {

constexpr text::EncodeOptions kPlain{.add_special = false, .parse_special = false};
constexpr std::size_t kShortBytes = 100'000;
constexpr std::size_t kLongBytes = 10'000'000;
constexpr std::array<std::string_view, 5> kUnits = {"a", "1", " ", "(((", "random bytes"};

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

std::vector<std::string> split(const std::string& text, char border) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (std::size_t end = 0; (end = text.find(border, begin)) != std::string::npos; begin = end + 1)
    parts.push_back(text.substr(begin, end - begin));
  if (begin < text.size()) parts.push_back(text.substr(begin));
  return parts;
}

/// Null, and the benchmark skipped, where the environment names none.
const text::Tokenizer* tokenizer(benchmark::State& state) {
  static const std::unique_ptr<text::Tokenizer> loaded = [] {
    const std::string path = environment("CAIRN_TOKENIZER");
    return path.empty() ? nullptr : load_tokenizer(path);
  }();
  if (loaded == nullptr) state.SkipWithError("CAIRN_TOKENIZER names no file");
  return loaded.get();
}

void encode_lines(benchmark::State& state) {
  const text::Tokenizer* subject = tokenizer(state);
  const std::vector<std::string> paths = split(environment("CAIRN_TEXTS"), ':');
  const auto index = static_cast<std::size_t>(state.range(0));
  if (subject == nullptr || index >= paths.size()) return state.SkipWithError("no text");
  std::ifstream file(paths[index], std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const std::vector<std::string> lines = split(text, '\n');
  for (auto _ : state) {
    std::vector<std::vector<TokenId>> tokens;
    tokens.reserve(lines.size());
    for (const std::string& line : lines) tokens.push_back(subject->encode(line, kPlain));
    benchmark::DoNotOptimize(tokens.data());
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(text.size()) * state.iterations());
  state.SetLabel(paths[index]);
}

std::string run_of(std::string_view unit, std::size_t size_bytes) {
  std::string text;
  text.reserve(size_bytes + unit.size());
  std::mt19937 random(1);
  const bool is_random = unit == kUnits.back();
  while (text.size() < size_bytes) {
    if (is_random)
      text += static_cast<char>(random() % 256);
    else
      text += unit;
  }
  return text;
}

/// Time per byte must not grow with the length of what no pattern cuts.
void encode_run(benchmark::State& state) {
  const text::Tokenizer* subject = tokenizer(state);
  if (subject == nullptr) return;
  const std::string_view unit = kUnits.at(static_cast<std::size_t>(state.range(0)));
  const std::string text = run_of(unit, static_cast<std::size_t>(state.range(1)));
  for (auto _ : state) benchmark::DoNotOptimize(subject->encode(text, kPlain).data());
  state.SetBytesProcessed(static_cast<std::int64_t>(text.size()) * state.iterations());
  state.SetLabel(std::string(unit));
}

void for_each_text(benchmark::internal::Benchmark* bench) {
  const auto count = static_cast<std::int64_t>(split(environment("CAIRN_TEXTS"), ':').size());
  for (std::int64_t i = 0; i < std::max<std::int64_t>(count, 1); ++i) bench->Arg(i);
}

void for_each_run(benchmark::internal::Benchmark* bench) {
  for (std::int64_t unit = 0; unit < static_cast<std::int64_t>(kUnits.size()); ++unit)
    for (const std::size_t size : {kShortBytes, kLongBytes})
      bench->Args({unit, static_cast<std::int64_t>(size)});
}

BENCHMARK(encode_lines)->Apply(for_each_text)->Unit(benchmark::kMillisecond);
BENCHMARK(encode_run)->Apply(for_each_run)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace cairn::engine
