#include "text/huggingface/tokenizer_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "text/detokenizer.h"
#include "text/huggingface/test_file.h"
#include "text/test_vocabularies.h"

namespace cairn::text::huggingface {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr EncodeOptions kAll{.add_special = true, .parse_special = true};

std::string message_of(const std::string& json, const std::string& config = "") {
  try {
    read_tokenizer(json, config, "");
  } catch (const Error& error) {
    EXPECT_EQ(error.message().find('\n'), std::string::npos);
    return error.message();
  }
  return "no error";
}

std::string added(const std::string& content, bool special) {
  return fmt::format(
      R"({{"id":5,"content":"{}","special":{},"single_word":false,"lstrip":false,"rstrip":false,)"
      R"("normalized":false}})",
      content, special);
}

TEST(TokenizerFileTest, ErrorsNameThePath) {
  TestFile file;
  file.normalizer = R"({"type":"Sequence","normalizers":[{"type":"NFC"},{"type":"Frob"}]})";
  EXPECT_EQ(message_of(file.json()),
            "tokenizer.json: normalizer.normalizers[1].type: \"Frob\" is no normalizer that cairn "
            "knows");
  file = {};
  file.pre_tokenizer =
      R"({"type":"Split","pattern":{"Regex":"a(?<x"},"behavior":"Isolated","invert":false})";
  EXPECT_THAT(message_of(file.json()), HasSubstr("tokenizer.json: pre_tokenizer.pattern.Regex: "));
  file = {};
  file.model = R"({"type":"BPE","vocab":{"a":0,"b":1},"merges":[["a","b"]]})";
  EXPECT_EQ(message_of(file.json()),
            "tokenizer.json: model.merges[0]: found an array, expected pieces of model.vocab that "
            "join to one");
  file.model = R"({"type":"BPE","dropout":0.1,"vocab":{"a":0},"merges":[]})";
  EXPECT_THAT(message_of(file.json()), HasSubstr("model.dropout: 0.1 drops merges at random"));
  file.model = R"({"type":"WordLevel","vocab":{"a":0,"b":0}})";
  EXPECT_EQ(message_of(file.json()),
            "tokenizer.json: model.vocab.b: found 0, expected a number of its own");
  file.model = R"({"type":"WordLevel","vocab":{"a":4000000000}})";
  EXPECT_THAT(message_of(file.json()), HasSubstr("model.vocab.a: found 4000000000"));
}

TEST(TokenizerFileTest, WrongDocumentsAreRefused) {
  EXPECT_THAT(message_of(""), HasSubstr("tokenizer.json: no valid JSON at byte"));
  EXPECT_THAT(message_of("[]"), HasSubstr("found an array, expected an object"));
  EXPECT_THAT(message_of("{}"), HasSubstr("tokenizer.json: model is missing"));
  EXPECT_THAT(message_of(R"({"version":"2.0","model":{}})"), HasSubstr("version: \"2.0\""));
  EXPECT_THAT(message_of(std::string(1000, '[')), HasSubstr("nested deeper than"));
  EXPECT_THAT(message_of(TestFile().json(), "{\"add_bos_token\":1}"),
              HasSubstr("tokenizer_config.json: add_bos_token: found 1, expected true or false"));
}

TEST(TokenizerFileTest, AddedTokensFollowTheModelsPieces) {
  TestFile file;
  file.added_tokens = fmt::format("[{},{}]", added("<end>", true), added("<tool>", false));
  const auto tokenizer = file.read();
  EXPECT_THAT(values_of(tokenizer->encode("a<end>b<tool>", kAll)), ElementsAre(1, 5, 2, 6));
  EXPECT_THAT(values_of(tokenizer->encode("a<end>b<tool>", {true, false})), ElementsAre(0, 6));
  EXPECT_EQ(tokenizer->vocabulary().kinds[5], TokenKind::control);
  EXPECT_EQ(tokenizer->vocabulary().kinds[6], TokenKind::user_defined);
  EXPECT_EQ(tokenizer->find_piece("<tool>"), TokenId(6));
  EXPECT_EQ(tokenizer->find_piece("c"), TokenId(3));
}

TEST(TokenizerFileTest, ControlTokensMatchOnlyInTemplatePieces) {
  TestFile file;
  file.added_tokens = fmt::format("[{}]", added("<end>", true));
  const auto tokenizer = file.read();
  const std::vector<PromptPiece> pieces = {
      {"a ", true}, {"<end> b", false}, {"<end>", true}, {"<e", false}, {"nd>", true}};
  EXPECT_THAT(values_of(tokenizer->encode_pieces(pieces, false)), ElementsAre(1, 0, 2, 5, 0));
}

TEST(TokenizerFileTest, ConfigurationNamesSpecialTokensAndTemplates) {
  TestFile file;
  file.added_tokens = fmt::format("[{},{}]", added("<s>", true), added("<|im_end|>", true));
  const char* config = R"({"bos_token":{"content":"<s>"},"eos_token":"</w>","add_bos_token":true,
    "chat_template":[{"name":"default","template":"D"},{"name":"tool_use","template":"T"}]})";
  const auto tokenizer = read_tokenizer(file.json(), config, R"({"pad_token":"c"})");
  const Vocabulary& vocabulary = tokenizer->vocabulary();
  EXPECT_EQ(vocabulary.bos, TokenId(5));
  EXPECT_EQ(vocabulary.eos, TokenId(4));
  EXPECT_EQ(vocabulary.padding, TokenId(3));
  EXPECT_EQ(vocabulary.unknown, TokenId(0));
  EXPECT_TRUE(vocabulary.add_bos);
  EXPECT_FALSE(vocabulary.add_eos);
  EXPECT_THAT(vocabulary.end_of_generation, ElementsAre(TokenId(4), TokenId(6)));
  EXPECT_EQ(vocabulary.chat_template, "D");
  ASSERT_EQ(vocabulary.chat_templates.size(), 1U);
  EXPECT_EQ(vocabulary.chat_templates[0].name, "tool_use");
  EXPECT_THAT(values_of(tokenizer->encode("a", kAll)), ElementsAre(5, 1));
}

TEST(TokenizerFileTest, ThePostProcessorWinsOverTheConfiguration) {
  TestFile file;
  file.post_processor = R"({"type":"BertProcessing","cls":["a",1],"sep":["b",2]})";
  const auto tokenizer =
      read_tokenizer(file.json(), R"({"bos_token":"c","add_bos_token":true})", "");
  EXPECT_THAT(values_of(tokenizer->encode("c", kAll)), ElementsAre(1, 3, 2));
  EXPECT_THAT(values_of(tokenizer->encode("c", {false, true})), ElementsAre(3));
}

TEST(TokenizerFileTest, InvalidBytesAreReplacementCharacters) {
  TestFile file;
  file.model = R"({"type":"WordLevel","unk_token":"?","vocab":{"?":0,"\ufffd":1,"a":2}})";
  const Encoding encoding = file.read()->encode_with_offsets("a \xFF a\xC3", kAll);
  EXPECT_THAT(values_of(encoding.tokens), ElementsAre(2, 1, 0));
  EXPECT_EQ(encoding.offsets[1], (TokenOffsets{2, 3}));
  EXPECT_EQ(encoding.offsets[2], (TokenOffsets{4, 6}));
}

TEST(TokenizerFileTest, UnknownWordsWithoutAnUnknownTokenAreAnError) {
  TestFile file;
  file.model = R"({"type":"WordLevel","unk_token":"?","vocab":{"a":0}})";
  const auto tokenizer = file.read();
  EXPECT_THAT(values_of(tokenizer->encode("a a", kAll)), ElementsAre(0, 0));
  EXPECT_THROW(tokenizer->encode("b", kAll), Error);
}

TEST(TokenizerFileTest, TextsDoNotGrowWithoutBound) {
  TestFile file;
  const std::string step = fmt::format(
      R"({{"type":"Replace","pattern":{{"String":"a"}},"content":"{}"}})", std::string(1000, 'a'));
  file.normalizer = fmt::format(R"({{"type":"Sequence","normalizers":[{},{}]}})", step, step);
  EXPECT_THROW(file.read()->encode(std::string(1000, 'a'), kAll), Error);
  file = {};
  file.decoder = fmt::format(R"({{"type":"Sequence","decoders":[{},{}]}})", step, step);
  const auto tokenizer = file.read();
  EXPECT_THROW(decode(*tokenizer, std::vector<TokenId>{TokenId(1)}), Error);
}

TEST(TokenizerFileTest, AddedTokensTakeWhiteSpaceAndStandAlone) {
  TestFile file;
  file.pre_tokenizer = "null";
  file.added_tokens = R"([
    {"id":5,"content":"L","lstrip":true,"normalized":false},
    {"id":6,"content":"R","rstrip":true,"normalized":false},
    {"id":7,"content":"W","single_word":true,"normalized":false}])";
  const auto tokenizer = file.read();
  const Encoding encoding = tokenizer->encode_with_offsets("a  L a R  W", kAll);
  EXPECT_THAT(values_of(encoding.tokens), ElementsAre(1, 5, 0, 6, 7));
  EXPECT_EQ(encoding.offsets[1], (TokenOffsets{1, 4}));
  EXPECT_EQ(encoding.offsets[3], (TokenOffsets{7, 10}));
  EXPECT_THAT(values_of(tokenizer->encode("aW", kAll)), ElementsAre(0));
}

TEST(TokenizerFileTest, StreamsDecodeTokenByToken) {
  const auto tokenizer = TestFile().read();
  EXPECT_EQ(decode(*tokenizer, std::vector<TokenId>{TokenId(1), TokenId(2)}), "a b");
  EXPECT_EQ(tokenizer->piece_bytes(TokenId(2), false), " b");
}

/// Their neighbours merge, and what follows in the word moves to the left, as in the library.
TEST(TokenizerFileTest, CharactersWithoutATokenLeaveNothing) {
  TestFile file;
  file.model = R"({"type":"BPE","vocab":{"a":0,"b":1,"ab":2,"c":3},"merges":["a b"]})";
  const Encoding encoding = file.read()->encode_with_offsets("c-a-bc c", kAll);
  EXPECT_THAT(values_of(encoding.tokens), ElementsAre(3, 2, 3, 3));
  EXPECT_THAT(encoding.offsets, ElementsAre(TokenOffsets{0, 1}, TokenOffsets{1, 3},
                                            TokenOffsets{3, 4}, TokenOffsets{7, 8}));
}

}  // namespace
}  // namespace cairn::text::huggingface
