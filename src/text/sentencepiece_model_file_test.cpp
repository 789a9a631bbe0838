#include "text/sentencepiece_model_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "text/detokenizer.h"
#include "text/test_precompiled_map.h"
#include "text/tokenizer.h"

namespace cairn::text {
namespace {

namespace fs = std::filesystem;
using Ids = std::vector<std::int32_t>;

constexpr EncodeOptions kPlain{.add_special = false, .parse_special = false};

/// What the sentencepiece package gave (tools/make_sentencepiece_cases.py); another folder of the
/// same kind stands in CAIRN_SENTENCEPIECE_CASES.
fs::path cases_folder() {
  const char* other = std::getenv("CAIRN_SENTENCEPIECE_CASES");
  return other != nullptr ? other : CAIRN_SOURCE_DIR "/tests/cases/text/sentencepiece";
}

std::string from_hexadecimal(const std::string& digits) {
  std::string bytes;
  for (std::size_t i = 0; i < digits.size(); i += 2)
    bytes.push_back(static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16)));
  return bytes;
}

Ids values_of(const std::vector<TokenId>& tokens) {
  Ids values;
  for (const TokenId token : tokens) values.push_back(token.value);
  return values;
}

Ids flat(const std::vector<TokenOffsets>& offsets) {
  Ids values;
  for (const TokenOffsets& range : offsets) {
    values.push_back(static_cast<std::int32_t>(range.begin));
    values.push_back(static_cast<std::int32_t>(range.end));
  }
  return values;
}

TEST(SentencePieceModelFile, EqualsThePackage) {
  int models = 0;
  for (const auto& entry : fs::directory_iterator(cases_folder())) {
    if (entry.path().extension() != ".model") continue;
    SCOPED_TRACE(entry.path());
    const auto tokenizer = make_tokenizer(read_sentencepiece_model(entry.path()));
    std::ifstream lines(fs::path(entry.path()).replace_extension(".jsonl"));
    int cases = 0;
    int wrong = 0;
    for (std::string line; std::getline(lines, line) && wrong < 5; ++cases) {
      const auto expected = nlohmann::json::parse(line);
      const std::string text = from_hexadecimal(expected["text"].get<std::string>());
      const Encoding encoding = tokenizer->encode_with_offsets(text, kPlain);
      EXPECT_EQ(values_of(encoding.tokens), expected["ids"].get<Ids>()) << text;
      EXPECT_EQ(flat(encoding.offsets), expected["offsets"].get<Ids>()) << text;
      EXPECT_EQ(tokenizer->encode(text, kPlain), encoding.tokens) << text;
      EXPECT_EQ(decode(*tokenizer, encoding.tokens), expected["decoded"].get<std::string>());
      wrong += testing::Test::HasFailure() ? 1 : 0;
    }
    EXPECT_GT(cases, 0);
    ++models;
  }
  EXPECT_GT(models, 0);
}

/// Writes the messages of a model file.
class Message {
 public:
  Message& integer(std::uint32_t number, std::uint64_t value) {
    varint(number << 3);
    varint(value);
    return *this;
  }
  Message& text(std::uint32_t number, std::string_view value) {
    varint(number << 3 | 2);
    varint(value.size());
    bytes_.append(value);
    return *this;
  }
  Message& number(std::uint32_t number, float value) {
    varint(number << 3 | 5);
    append_u32(bytes_, std::bit_cast<std::uint32_t>(value));
    return *this;
  }
  Message& piece(std::string_view piece, float score, TokenKind kind = TokenKind::normal) {
    Message inner;
    inner.text(1, piece).number(2, score).integer(3, static_cast<std::uint64_t>(kind));
    return text(1, inner.bytes());
  }
  const std::string& bytes() const { return bytes_; }

 private:
  void varint(std::uint64_t value) {
    for (; value > 0x7F; value >>= 7) bytes_.push_back(static_cast<char>(value | 0x80));
    bytes_.push_back(static_cast<char>(value));
  }
  std::string bytes_;
};

const std::string kMark = "\xE2\x96\x81";  // U+2581

Message small_model() {
  Message model;
  model.piece("<unk>", 0, TokenKind::unknown)
      .piece("<s>", 0, TokenKind::control)
      .piece("</s>", 0, TokenKind::control);
  for (const std::string& piece : {kMark, std::string("a"), std::string("b"), kMark + "ab"})
    model.piece(piece, -2);
  return model;
}

void expect_error(const std::string& bytes, ErrorKind kind, const std::string& part) {
  try {
    make_tokenizer(parse_sentencepiece_model(bytes, "x.model"));
    FAIL() << "no error, expected " << part;
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind);
    EXPECT_THAT(error.message(), testing::HasSubstr(part));
    EXPECT_EQ(error.message().find('\n'), std::string::npos);
  }
}

TEST(SentencePieceModelFile, DefaultsAndUnknownFields) {
  Message model = small_model();
  model.integer(77, 5).text(78, "later").number(79, 1.5F);
  const auto vocabulary = parse_sentencepiece_model(model.bytes(), "x.model");
  EXPECT_EQ(vocabulary->model, "sentencepiece_unigram");
  EXPECT_EQ(vocabulary->unknown, TokenId(0));
  EXPECT_EQ(vocabulary->bos, TokenId(1));
  EXPECT_EQ(vocabulary->eos, TokenId(2));
  EXPECT_EQ(vocabulary->padding, std::nullopt);
  EXPECT_EQ(vocabulary->end_of_generation, std::vector<TokenId>{TokenId(2)});
  EXPECT_FALSE(vocabulary->add_bos);
  const auto tokenizer = make_tokenizer(vocabulary);
  EXPECT_EQ(values_of(tokenizer->encode("  ab  ab ", kPlain)), (Ids{6, 6}));
  EXPECT_EQ(values_of(tokenizer->encode("ac", kPlain)), (Ids{3, 4, 0}));
  EXPECT_EQ(values_of(tokenizer->encode("  ", kPlain)), Ids{});
}

TEST(SentencePieceModelFile, ControlTokensMatchInTheTemplateOnly) {
  const auto tokenizer = make_tokenizer(parse_sentencepiece_model(small_model().bytes(), "x"));
  const std::vector<PromptPiece> prompt = {{"<s>", true}, {"ab<s>", false}, {"</s>", true}};
  EXPECT_EQ(values_of(tokenizer->encode_pieces(prompt, false)), (Ids{1, 6, 0, 2}));
  EXPECT_EQ(values_of(tokenizer->encode("ab</s>ab", {false, true})), (Ids{6, 2, 6}));
}

TEST(SentencePieceModelFile, WrongFilesAreRefused) {
  const std::string good = small_model().bytes();
  expect_error("", ErrorKind::corrupt, "found no pieces");
  expect_error("IQ== 0\nIg== 1\n", ErrorKind::corrupt, "x.model");
  expect_error(good.substr(0, good.size() - 3), ErrorKind::corrupt, "longer than what is left");
  expect_error(good + "\x08", ErrorKind::corrupt, "ends within a number");
  expect_error(good + std::string(11, '\xFF'), ErrorKind::corrupt, "more than ten bytes");
  expect_error(good + "\x0B", ErrorKind::corrupt, "wire type");
  expect_error(good + "\x09", ErrorKind::corrupt, "ends within a number");
  expect_error(Message().integer(1, 5).bytes(), ErrorKind::corrupt, "wire type 0, expected 2");
  expect_error(small_model().piece("", 0).bytes(), ErrorKind::corrupt, "piece 7 is empty");
  expect_error(small_model().piece("a", 0).bytes(), ErrorKind::corrupt, "piece 7 stands twice");
  expect_error(small_model().piece("z", 0, TokenKind(9)).bytes(), ErrorKind::corrupt, "type 9");
  expect_error(small_model().piece("z", 0, TokenKind::unknown).bytes(), ErrorKind::corrupt,
               "pieces 0 and 7");
  expect_error(Message().piece("a", 0).bytes(), ErrorKind::corrupt, "unknown token");
  expect_error(small_model().text(2, Message().integer(3, 9).bytes()).bytes(),
               ErrorKind::unsupported, "model type 9");
  expect_error(small_model().text(2, Message().integer(35, 1).bytes()).bytes(), ErrorKind::corrupt,
               "byte token is missing");
  expect_error(small_model().text(3, Message().text(2, "abc").bytes()).bytes(), ErrorKind::corrupt,
               "precompiled_charsmap");
  expect_error(small_model().text(5, Message().text(2, "abc").bytes()).bytes(),
               ErrorKind::unsupported, "denormalizer_spec");
  EXPECT_THROW(read_sentencepiece_model("no/such.model"), Error);
}

TEST(SentencePieceModelFile, UnusedPiecesComeApart) {
  for (const std::uint64_t type : {1U, 2U}) {
    Message model = small_model();
    model.piece("aa", -1, TokenKind::unused).text(2, Message().integer(3, type).bytes());
    const auto tokenizer = make_tokenizer(parse_sentencepiece_model(model.bytes(), "x"));
    EXPECT_EQ(values_of(tokenizer->encode("aa", kPlain)), (Ids{3, 4, 4}));
  }
}

TEST(SentencePieceModelFile, LongRunsOfOneCharacter) {
  for (const std::uint64_t type : {1U, 2U, 3U, 4U}) {
    const std::string rules = compile_rules({{"x", "a"}});
    const std::string model = small_model()
                                  .piece("aa", -1)
                                  .text(2, Message().integer(3, type).bytes())
                                  .text(3, Message().text(2, rules).bytes())
                                  .bytes();
    const auto tokenizer = make_tokenizer(parse_sentencepiece_model(model, "x"));
    for (const char* unit : {"a", "x", " ", "z", "\xFF", "ab "}) {
      std::string text;
      while (text.size() < 60'000) text += unit;
      const Encoding encoding = tokenizer->encode_with_offsets(text, kPlain);
      ASSERT_EQ(encoding.tokens.size(), encoding.offsets.size());
      EXPECT_LE(encoding.offsets.empty() ? 0 : encoding.offsets.back().end, text.size());
    }
  }
}

}  // namespace
}  // namespace cairn::text
