#include "engine/vocabulary_loader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <sstream>

#include "base/error.h"
#include "engine/test_memory_checkpoint.h"
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
  values.reserve(tokens.size());
  for (const TokenId token : tokens) values.push_back(token.value);
  return values;
}

using Texts = std::vector<std::string>;
using Integers = std::vector<std::int64_t>;

MemoryCheckpoint small_checkpoint(const std::string& model, const std::string& pre) {
  MemoryCheckpoint checkpoint;
  checkpoint.set("ggml.model", model);
  checkpoint.set("ggml.pre", pre);
  checkpoint.set("ggml.tokens", Texts{"a", "b", "<|im_end|>", "ab", "<|end|>"});
  return checkpoint;
}

void expect_error(const MemoryCheckpoint& checkpoint, ErrorKind kind, const Texts& parts) {
  try {
    load_vocabulary(checkpoint);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind);
    EXPECT_THAT(error.message(), testing::HasSubstr("model.gguf"));
    EXPECT_THAT(error.message(), testing::Not(testing::HasSubstr("\n")));
    for (const std::string& part : parts) EXPECT_THAT(error.message(), testing::HasSubstr(part));
  }
}

TEST(VocabularyLoader, TakesEveryKey) {
  MemoryCheckpoint checkpoint = small_checkpoint("gpt2", "qwen2");
  checkpoint.set("ggml.token_type", Integers{1, 0, 3, 1, 4});
  checkpoint.set("ggml.merges", Texts{"a b"});
  checkpoint.set("ggml.scores", std::vector<double>{0, -1, -2, -3, -4});
  checkpoint.set("ggml.bos_token_id", std::uint64_t{0});
  checkpoint.set("ggml.eos_token_id", std::uint64_t{1});
  checkpoint.set("ggml.eot_token_id", std::uint64_t{3});
  checkpoint.set("ggml.unknown_token_id", std::uint64_t{2});
  checkpoint.set("ggml.padding_token_id", std::uint64_t{0xFFFFFFFF});  // "none"
  checkpoint.set("ggml.add_bos_token", true);
  checkpoint.set("ggml.add_eos_token", true);
  checkpoint.set("chat_template", std::string("{{ x }}"));
  const auto vocabulary = load_vocabulary(checkpoint);
  EXPECT_EQ(vocabulary->model, "gpt2");
  EXPECT_EQ(vocabulary->pre_tokenizer, "qwen2");
  EXPECT_EQ(vocabulary->pieces.size(), 5U);
  EXPECT_EQ(vocabulary->kinds[1], text::TokenKind::normal);
  EXPECT_EQ(vocabulary->kinds[2], text::TokenKind::control);
  EXPECT_EQ(vocabulary->scores[4], -4.0F);
  EXPECT_EQ(vocabulary->merges, Texts{"a b"});
  EXPECT_EQ(vocabulary->bos, TokenId(0));
  EXPECT_EQ(vocabulary->eos, TokenId(1));
  EXPECT_EQ(vocabulary->eot, TokenId(3));
  EXPECT_EQ(vocabulary->unknown, TokenId(2));
  EXPECT_EQ(vocabulary->padding, std::nullopt);
  EXPECT_TRUE(vocabulary->add_bos);
  EXPECT_TRUE(vocabulary->add_eos);
  EXPECT_FALSE(vocabulary->add_space_prefix);
  EXPECT_EQ(vocabulary->chat_template, "{{ x }}");
  EXPECT_EQ(vocabulary->end_of_generation,
            (std::vector<TokenId>{TokenId(1), TokenId(3), TokenId(2)}));
}

TEST(VocabularyLoader, RulesWhereTheFileDoesNotSay) {
  EXPECT_FALSE(load_vocabulary(small_checkpoint("gpt2", "qwen2"))->add_bos);
  EXPECT_TRUE(load_vocabulary(small_checkpoint("gpt2", "llama-bpe"))->add_bos);
  const auto sentence_piece = load_vocabulary(small_checkpoint("llama", "default"));
  EXPECT_TRUE(sentence_piece->add_bos);
  EXPECT_TRUE(sentence_piece->add_space_prefix);
  EXPECT_TRUE(sentence_piece->end_of_generation.empty());
}

TEST(VocabularyLoader, AnotherPreTokenizerReplacesTheFiles) {
  const auto checkpoint = small_checkpoint("gpt2", "no-such-name");
  expect_error(checkpoint, ErrorKind::unsupported, {"no-such-name"});
  const auto vocabulary = load_vocabulary(checkpoint, "llama-bpe");
  EXPECT_EQ(vocabulary->pre_tokenizer, "llama-bpe");
  EXPECT_TRUE(vocabulary->add_bos);
}

TEST(VocabularyLoader, BertStandsBetweenItsOwnTokens) {
  MemoryCheckpoint checkpoint = small_checkpoint("bert", "");
  checkpoint.set("ggml.cls_token_id", std::int64_t{3});
  checkpoint.set("ggml.seperator_token_id", std::int64_t{4});
  const auto usual = load_vocabulary(checkpoint);
  EXPECT_EQ(usual->bos, TokenId(3));
  EXPECT_EQ(usual->eos, TokenId(4));
  EXPECT_TRUE(usual->add_bos && usual->add_eos);
  EXPECT_TRUE(usual->bert.lowercase && usual->bert.strip_accents);
  checkpoint.set("ggml.normalizer.lowercase", false);
  checkpoint.set("ggml.add_sep_token", false);
  const auto cased = load_vocabulary(checkpoint);
  EXPECT_FALSE(cased->add_eos);
  EXPECT_FALSE(cased->bert.lowercase || cased->bert.strip_accents);
}

TEST(VocabularyLoader, T5HasANormalizer) {
  MemoryCheckpoint checkpoint = small_checkpoint("t5", "");
  const auto usual = load_vocabulary(checkpoint);
  EXPECT_TRUE(usual->add_eos && usual->add_space_prefix && !usual->add_bos);
  EXPECT_TRUE(usual->sentence_piece.precompiled_map.empty());
  checkpoint.set("ggml.remove_extra_whitespaces", true);
  checkpoint.set("ggml.precompiled_charsmap", Integers{0, 127, 128, 255, -1});
  const auto rules = load_vocabulary(checkpoint)->sentence_piece;
  EXPECT_TRUE(rules.remove_extra_spaces);
  EXPECT_EQ(rules.precompiled_map, std::string("\0\x7F\x80\xFF\xFF", 5));
}

TEST(VocabularyLoader, MessagesMayEndBeforeTheAnswer) {
  const auto ends_of = [](const Texts& pieces) {
    MemoryCheckpoint checkpoint;
    checkpoint.set("ggml.model", std::string("gpt2"));
    checkpoint.set("ggml.tokens", pieces);
    checkpoint.set("ggml.token_type", Integers(pieces.size(), 3));
    return load_vocabulary(checkpoint)->end_of_generation;
  };
  EXPECT_EQ(ends_of({"<|end|>", "<|user|>"}), std::vector<TokenId>{TokenId(0)});
  EXPECT_EQ(ends_of({"<|end|>", "<|return|>"}), std::vector<TokenId>{TokenId(1)});
}

TEST(VocabularyLoader, ListsMustAgree) {
  MemoryCheckpoint kinds = small_checkpoint("gpt2", "qwen2");
  kinds.set("ggml.token_type", Integers{1, 1});
  expect_error(kinds, ErrorKind::corrupt, {"tokenizer.ggml.token_type", "2 entries", "5"});
  MemoryCheckpoint scores = small_checkpoint("llama", "default");
  scores.set("ggml.scores", std::vector<double>(6));
  expect_error(scores, ErrorKind::corrupt, {"tokenizer.ggml.scores", "6 entries", "5"});
  MemoryCheckpoint kind = small_checkpoint("gpt2", "qwen2");
  kind.set("ggml.token_type", Integers{1, 1, 7, 1, 1});
  expect_error(kind, ErrorKind::corrupt, {"tokenizer.ggml.token_type", "token 2", "type 7"});
}

TEST(VocabularyLoader, IdsMustBeInTheVocabulary) {
  for (const std::int64_t id : {std::int64_t{5}, std::int64_t{-2}, std::int64_t{1} << 40}) {
    MemoryCheckpoint checkpoint = small_checkpoint("gpt2", "qwen2");
    checkpoint.set("ggml.eos_token_id", id);
    expect_error(checkpoint, ErrorKind::corrupt,
                 {"tokenizer.ggml.eos_token_id", std::to_string(id), "0 to 4"});
  }
}

TEST(VocabularyLoader, MissingVocabularies) {
  const MemoryCheckpoint empty;
  EXPECT_FALSE(has_vocabulary(empty));
  expect_error(empty, ErrorKind::not_found, {"tokenizer.ggml.tokens"});
  const MemoryCheckpoint folder(checkpoint::Origin::hugging_face);
  EXPECT_FALSE(has_vocabulary(folder));
  expect_error(folder, ErrorKind::not_found, {"tokenizer.ggml.tokens"});
  MemoryCheckpoint no_model;
  no_model.set("ggml.tokens", Texts{"a"});
  EXPECT_TRUE(has_vocabulary(no_model));
  expect_error(no_model, ErrorKind::corrupt, {"tokenizer.ggml.model"});
  MemoryCheckpoint no_tokens;
  no_tokens.set("ggml.model", std::string("gpt2"));
  no_tokens.set("ggml.tokens", Texts{});
  expect_error(no_tokens, ErrorKind::corrupt, {"tokenizer.ggml.tokens"});
}

TEST(VocabularyLoader, RealModelsRoundTripAndEnd) {
  const char* folder = std::getenv("CAIRN_MODELS");
  if (folder == nullptr || !fs::is_directory(folder))
    GTEST_SKIP() << "CAIRN_MODELS names no folder: real models are not here";
  const std::string text =
      "def f(x):\n\treturn x + 1  # na\xC3\xAFve \xE4\xBD\xA0\xE5\xA5\xBD "
      "\xF0\x9F\x99\x82\n\n   end";
  int models = 0;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() != ".gguf") continue;
    SCOPED_TRACE(entry.path());
    const auto checkpoint = checkpoint::open_checkpoint(entry.path());
    const auto vocabulary = load_vocabulary(*checkpoint);
    const auto tokenizer = text::make_tokenizer(vocabulary);
    EXPECT_EQ(text::decode(*tokenizer, tokenizer->encode(text, {})), text);
    EXPECT_FALSE(vocabulary->end_of_generation.empty());
    for (const TokenId end : vocabulary->end_of_generation) {
      const auto& piece = vocabulary->pieces[static_cast<std::size_t>(end.value)];
      const auto parsed = tokenizer->encode(piece, {.add_special = false, .parse_special = true});
      EXPECT_EQ(parsed, std::vector<TokenId>{end}) << piece;
      const auto plain = tokenizer->encode(piece, {.add_special = false, .parse_special = false});
      EXPECT_GT(plain.size(), 1U) << piece;
    }
    ++models;
  }
  if (models == 0) GTEST_SKIP() << folder << " holds no GGUF file";
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
                         testing::Values("bert-bge", "deepseek-coder", "deepseek-llm", "gpt-2",
                                         "llama-bpe", "llama-spm", "mpt", "phi-3", "qwen2",
                                         "refact", "starcoder"),
                         [](const auto& param) {
                           std::string name = param.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace cairn::engine
