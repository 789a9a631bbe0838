// Small tokenizers of every kind and what the `tokenizers` library makes of 300 strings each
// (tools/make_huggingface_tokenizer_cases.py).

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "text/detokenizer.h"
#include "text/huggingface/tokenizer_file.h"
#include "text/test_vocabularies.h"

namespace cairn::text::huggingface {
namespace {

struct Case {
  std::string text;
  std::vector<std::int32_t> ids;
  std::vector<std::size_t> offsets;  // begin, end, begin, end, ... in characters
  std::string decoded;
  std::string decoded_with_special;
};

std::string read_file(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  std::stringstream contents;
  contents << stream.rdbuf();
  return contents.str();
}

std::filesystem::path folder() {
  return std::filesystem::path(CAIRN_SOURCE_DIR) / "tests/cases/text/huggingface";
}

std::vector<Case> read_cases(const std::string& name) {
  std::vector<Case> cases;
  std::stringstream lines(read_file(folder() / (name + ".jsonl")));
  for (std::string line; std::getline(lines, line);) {
    const auto fields = nlohmann::json::parse(line);
    Case one{fields[0], fields[1], fields[2], fields[3], fields[3]};
    if (fields.size() > 4) one.decoded_with_special = fields[4];
    cases.push_back(std::move(one));
  }
  return cases;
}

std::vector<std::size_t> in_characters(const std::string& text,
                                       const std::vector<TokenOffsets>& offsets) {
  std::vector<std::size_t> before(text.size() + 1);  // characters, by byte
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool ends = i + 1 == text.size() || (static_cast<unsigned char>(text[i + 1]) >> 6) != 2;
    before[i + 1] = before[i] + (ends ? 1 : 0);
  }
  std::vector<std::size_t> characters;
  for (const TokenOffsets& offset : offsets) {
    characters.push_back(before[offset.begin]);
    characters.push_back(before[offset.end]);
  }
  return characters;
}

class CasesTest : public testing::TestWithParam<const char*> {
 protected:
  std::unique_ptr<Tokenizer> read() const {
    return read_tokenizer(read_file(folder() / (std::string(GetParam()) + ".json")), "", "");
  }
};

TEST_P(CasesTest, IdsOffsetsAndTextAreTheLibrarys) {
  const auto tokenizer = read();
  const std::vector<Case> cases = read_cases(GetParam());
  ASSERT_EQ(cases.size(), 300U);
  for (const Case& one : cases) {
    SCOPED_TRACE(testing::PrintToString(one.text));
    const EncodeOptions options{.add_special = true, .parse_special = true};
    const Encoding encoding = tokenizer->encode_with_offsets(one.text, options);
    EXPECT_EQ(values_of(encoding.tokens), one.ids);
    EXPECT_EQ(values_of(tokenizer->encode(one.text, options)), one.ids);
    EXPECT_EQ(in_characters(one.text, encoding.offsets), one.offsets);
    EXPECT_EQ(decode(*tokenizer, encoding.tokens), one.decoded);
    EXPECT_EQ(decode(*tokenizer, encoding.tokens, true), one.decoded_with_special);
  }
}

/// What of a prompt is content never becomes a control token, wherever it is cut.
TEST_P(CasesTest, PiecesAreOneTextWhoseContentHasNoControlTokens) {
  const auto tokenizer = read();
  const auto is_control = [&](TokenId token) {
    return tokenizer->vocabulary().kinds[static_cast<std::size_t>(token.value)] ==
           TokenKind::control;
  };
  for (const Case& one : read_cases(GetParam())) {
    SCOPED_TRACE(testing::PrintToString(one.text));
    const std::vector<PromptPiece> content = {{one.text, false}};
    const std::vector<PromptPiece> written = {{one.text, true}};
    const auto plain = tokenizer->encode(one.text, {.add_special = false, .parse_special = false});
    EXPECT_EQ(tokenizer->encode_pieces(content, false), plain);
    EXPECT_EQ(values_of(tokenizer->encode_pieces(written, true)), one.ids);
    // The unknown token may be one of the special ones.
    for (const TokenId token : plain)
      EXPECT_TRUE(!is_control(token) || token == tokenizer->vocabulary().unknown);
  }
}

INSTANTIATE_TEST_SUITE_P(HuggingFace, CasesTest,
                         testing::Values("byte_level_gpt2", "byte_level_llama3", "byte_level_odd",
                                         "bpe_affixes", "llama2", "bpe_metaspace", "unigram",
                                         "unigram_bytes", "bert", "bert_cased", "word_level"),
                         [](const auto& tested) { return std::string(tested.param); });

}  // namespace
}  // namespace cairn::text::huggingface
