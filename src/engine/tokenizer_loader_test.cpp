#include "engine/tokenizer_loader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include "base/error.h"
#include "engine/test_folder.h"
#include "text/detokenizer.h"

namespace cairn::engine {
namespace {

namespace fs = std::filesystem;

const fs::path kCases = CAIRN_SOURCE_DIR "/tests/cases/text";
const fs::path kConformance = CAIRN_SOURCE_DIR "/../shared/conformance/tokenizer";

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class TokenizerFolder : public FolderTest {
 protected:
  static void expect_error(const fs::path& path, ErrorKind kind, const std::string& part,
                           const std::string& pre_tokenizer = {}) {
    try {
      load_tokenizer(path, pre_tokenizer);
      FAIL() << "no error for " << path;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), kind) << error.message();
      EXPECT_THAT(error.message(), testing::HasSubstr(part));
      EXPECT_THAT(error.message(), testing::Not(testing::HasSubstr("\n")));
    }
  }
};

constexpr const char* kWordLevel =
    R"({"version": "1.0", "added_tokens": [], "normalizer": null,
        "pre_tokenizer": {"type": "WhitespaceSplit"}, "post_processor": null, "decoder": null,
        "model": {"type": "WordLevel", "vocab": {"[UNK]": 0, "the": 1, "harbour": 2},
                  "unk_token": "[UNK]"}})";

TEST_F(TokenizerFolder, TokenizerJsonComesBeforeTokenizerModel) {
  const auto json = write("tokenizer.json", kWordLevel);
  write("tokenizer.model", read_file(kCases / "sentencepiece/bpe.model"));
  for (const auto& path : {folder_, json}) {
    const auto tokenizer = load_tokenizer(path);
    EXPECT_EQ(tokenizer->encode("the old harbour", {}),
              (std::vector<TokenId>{TokenId(1), TokenId(0), TokenId(2)}));
  }
  expect_error(json, ErrorKind::invalid_argument, "--pre-tokenizer gpt-2 is for GGUF", "gpt-2");
}

TEST_F(TokenizerFolder, WrongFilesAreNamed) {
  expect_error(folder_ / "absent" / "tokenizer.json", ErrorKind::not_found, "tokenizer.json");
  const auto json = write("tokenizer.json", R"({"model": {"type": "Magic"}})");
  expect_error(folder_, ErrorKind::unsupported, json.string());
  write("tokenizer.json", "{");
  expect_error(folder_, ErrorKind::corrupt, json.string());
  const auto model = write("other/tokenizer.model", "no protobuf");
  expect_error(folder_ / "other", ErrorKind::corrupt, model.string());
}

// The model's own file knows nothing of what its makers added and configured.
TEST_F(TokenizerFolder, TokenizerConfigCompletesTokenizerModel) {
  const auto model = write("tokenizer.model", read_file(kCases / "sentencepiece/bpe.model"));
  const auto plain = load_tokenizer(model);
  const std::size_t count = plain->vocabulary().pieces.size();
  const auto bare = plain->encode("harbour", {});
  write("tokenizer_config.json",
        fmt::format(R"({{"tokenizer_class": "LlamaTokenizer", "bos_token": "<s>",
              "eos_token": {{"content": "<|im_end|>"}},
              "added_tokens_decoder": {{
                "{}": {{"content": "<|im_start|>", "special": true}},
                "{}": {{"content": "<|im_end|>", "special": true}},
                "{}": {{"content": "<tool>", "special": false}}}}}})",
                    count, count + 1, count + 2));
  const auto tokenizer = load_tokenizer(folder_);
  const text::Vocabulary& vocabulary = tokenizer->vocabulary();
  EXPECT_EQ(vocabulary.pieces.size(), count + 3);
  const TokenId end(static_cast<std::int32_t>(count + 1));
  EXPECT_EQ(vocabulary.eos, end);
  EXPECT_THAT(vocabulary.end_of_generation, testing::Contains(end));
  auto expected = bare;
  expected.insert(expected.begin(), *vocabulary.bos);
  EXPECT_EQ(tokenizer->encode("harbour", {}), expected);
  EXPECT_EQ(tokenizer->encode("<|im_end|>", {.add_special = false, .parse_special = true}),
            std::vector<TokenId>{end});
  const TokenId tool(static_cast<std::int32_t>(count + 2));
  EXPECT_THAT(tokenizer->encode("<tool>", {.add_special = false}), testing::Contains(tool));
  EXPECT_EQ(text::decode(*tokenizer, std::vector<TokenId>{tool, end}), "<tool>");
}

TEST_F(TokenizerFolder, AddedTokensLeaveNoGap) {
  write("tokenizer.model", read_file(kCases / "sentencepiece/bpe.model"));
  write("tokenizer_config.json", R"({"added_tokens_decoder": {"90000": {"content": "x"}}})");
  expect_error(folder_, ErrorKind::corrupt, "added token 90000");
}

// ---- Streams of every vocabulary that is here ---------------------------------------------------

std::vector<fs::path> tokenizer_files() {
  std::vector<fs::path> files;
  for (const fs::path& folder : {kCases, kConformance}) {
    if (!fs::exists(folder)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      const fs::path& path = entry.path();
      const bool is_json =
          path.extension() == ".json" && path.parent_path().filename() == "huggingface";
      if (is_json || path.extension() == ".model" || path.extension() == ".gguf") {
        files.push_back(path);
      }
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

/// The last border of characters at or before byte `offset`.
std::size_t border_before(const std::string& text, std::size_t offset) {
  offset = std::min(offset, text.size());
  while (offset < text.size() && (static_cast<unsigned char>(text[offset]) & 0xC0U) == 0x80U) {
    --offset;
  }
  return offset;
}

/// What leaves with `stop`: the text up to its first appearance.
void expect_stream(const text::Tokenizer& tokenizer, const std::vector<TokenId>& tokens,
                   const std::string& whole, const std::string& stop) {
  text::Detokenizer detokenizer(tokenizer, {stop});
  std::string text;
  for (const TokenId token : tokens) text += detokenizer.push(token);
  text += detokenizer.finish();
  const std::size_t found = stop.empty() ? std::string::npos : whole.find(stop);
  EXPECT_EQ(detokenizer.stopped(), found != std::string::npos);
  EXPECT_EQ(text, whole.substr(0, found));
}

TEST(TokenizerStreams, AnyTokensGiveWhatDecodingThemAtOnceGives) {
  std::mt19937 random(41);
  for (const fs::path& file : tokenizer_files()) {
    SCOPED_TRACE(file);
    const auto tokenizer = load_tokenizer(file);
    const auto count = static_cast<std::uint32_t>(tokenizer->vocabulary().pieces.size());
    for (int round = 0; round < 300; ++round) {
      std::vector<TokenId> tokens(1 + random() % 40);
      for (TokenId& token : tokens) token = TokenId(static_cast<std::int32_t>(random() % count));
      const std::string whole = text::decode(*tokenizer, tokens);
      expect_stream(*tokenizer, tokens, whole, "");
      const std::size_t begin = border_before(whole, random() % (whole.size() + 1));
      const std::size_t end = border_before(whole, begin + random() % 8);
      expect_stream(*tokenizer, tokens, whole, whole.substr(begin, std::max(begin, end) - begin));
      if (testing::Test::HasFailure()) return;
    }
  }
}

}  // namespace
}  // namespace cairn::engine
