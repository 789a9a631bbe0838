#include "engine/vocabulary_loader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "base/error.h"
#include "text/detokenizer.h"
#include "text/tokenizer.h"

namespace cairn::engine {
namespace {

namespace fs = std::filesystem;

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> split_inputs(const std::string& all) {
  const std::string separator = "\n__ggml_vocab_test__\n";
  std::vector<std::string> inputs;
  std::size_t begin = 0;
  for (std::size_t end = 0; (end = all.find(separator, begin)) != std::string::npos;
       begin = end + separator.size())
    inputs.push_back(all.substr(begin, end - begin));
  return inputs;
}

std::vector<std::vector<std::int32_t>> parse_answers(const std::string& all) {
  std::vector<std::vector<std::int32_t>> answers;
  std::istringstream lines(all);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream numbers(line);
    answers.emplace_back(std::istream_iterator<std::int32_t>(numbers),
                         std::istream_iterator<std::int32_t>());
  }
  return answers;
}

std::vector<std::int32_t> values_of(const std::vector<TokenId>& tokens) {
  std::vector<std::int32_t> values;
  for (const TokenId token : tokens) values.push_back(token.value);
  return values;
}

class TokenizerConformance : public testing::TestWithParam<const char*> {};

TEST_P(TokenizerConformance, EveryIdOfEveryCase) {
  const fs::path model = fs::path(CAIRN_SOURCE_DIR "/../shared/conformance/tokenizer") /
                         (std::string("ggml-vocab-") + GetParam() + ".gguf");
  if (!fs::exists(model)) GTEST_SKIP() << model << " is missing: conformance data is not here";
  const auto checkpoint = checkpoint::open_checkpoint(model);
  const auto tokenizer = text::make_tokenizer(load_vocabulary(*checkpoint));
  const auto inputs = split_inputs(read_file(model.string() + ".inp"));
  const auto answers = parse_answers(read_file(model.string() + ".out"));
  ASSERT_EQ(inputs.size(), answers.size());
  ASSERT_FALSE(inputs.empty());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const auto tokens = tokenizer->encode(inputs[i], {.add_special = false});
    EXPECT_EQ(values_of(tokens), answers[i]) << "case " << i << ": " << inputs[i];
    EXPECT_EQ(values_of(tokenizer->encode(inputs[i], {.add_special = false})), answers[i])
        << "case " << i << ", from the cache";
  }
}

INSTANTIATE_TEST_SUITE_P(Vocabularies, TokenizerConformance,
                         testing::Values("deepseek-coder", "deepseek-llm", "gpt-2", "llama-bpe",
                                         "llama-spm", "mpt", "phi-3", "qwen2", "refact",
                                         "starcoder"),
                         [](const auto& param) {
                           std::string name = param.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace cairn::engine
