#include "text/bert_tokenizer.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "text/detokenizer.h"
#include "text/space_mark.h"
#include "text/test_vocabularies.h"

namespace cairn::text {
namespace {

using Ids = std::vector<std::int32_t>;

constexpr EncodeOptions kPlain{.add_special = false, .parse_special = false};
enum : std::int32_t { kUnknown, kBegin, kEnd, kHe, kLlo, kCafe, kComma, kBig, kMiddle, kDotted };

Vocabulary bert_vocabulary() {
  const std::string mark(kSpaceMark);
  Vocabulary vocabulary;
  vocabulary.model = "bert";
  vocabulary.add_bos = vocabulary.add_eos = true;
  vocabulary.unknown = add_token(vocabulary, "[UNK]", TokenKind::control);
  vocabulary.bos = add_token(vocabulary, "[CLS]", TokenKind::control);
  vocabulary.eos = add_token(vocabulary, "[SEP]", TokenKind::control);
  const std::vector<std::string> pieces = {mark + "he",       "llo",       mark + "cafe",
                                           mark + ",",        mark + "He", mark + "\xE4\xB8\xAD",
                                           mark + "i\xCC\x87"};
  for (const std::string& piece : pieces) add_token(vocabulary, piece, TokenKind::normal);
  return vocabulary;
}

Ids encode(const Tokenizer& tokenizer, std::string_view text) {
  return values_of(tokenizer.encode(text, kPlain));
}

TEST(BertTokenizer, WordsAndPunctuation) {
  const auto tokenizer = make_tokenizer(share(bert_vocabulary()));
  EXPECT_EQ(encode(*tokenizer, "Hello,hello"), (Ids{kHe, kLlo, kComma, kHe, kLlo}));
  EXPECT_EQ(encode(*tokenizer, " he \t\n llo "), (Ids{kHe, kUnknown}));
  EXPECT_EQ(encode(*tokenizer, "he\xE4\xB8\xADhe"), (Ids{kHe, kMiddle, kHe}));
  EXPECT_EQ(encode(*tokenizer, "  "), Ids{});
  EXPECT_EQ(values_of(tokenizer->encode("he[SEP]", {true, true})), (Ids{kBegin, kHe, kEnd, kEnd}));
}

TEST(BertTokenizer, WhatLeavesNoTrace) {
  const auto tokenizer = make_tokenizer(share(bert_vocabulary()));
  for (const char* text : {"caf\xC3\xA9", "cafe\xCC\x81",
                           "C\x01"
                           "afe",
                           "ca\xE2\x80\x8B"
                           "fe",
                           "ca\xFF"
                           "fe"})
    EXPECT_EQ(encode(*tokenizer, text), Ids{kCafe}) << text;
}

TEST(BertTokenizer, OffsetsInTheSource) {
  const auto tokenizer = make_tokenizer(share(bert_vocabulary()));
  const Encoding encoding = tokenizer->encode_with_offsets("Caf\xC3\xA9 , He\x01llo", kPlain);
  EXPECT_EQ(values_of(encoding.tokens), (Ids{kCafe, kComma, kHe, kLlo}));
  EXPECT_EQ(encoding.offsets, (std::vector<TokenOffsets>{{0, 5}, {6, 7}, {8, 10}, {11, 14}}));
}

TEST(BertTokenizer, CaseAndAccentsAsTheFileSays) {
  Vocabulary vocabulary = bert_vocabulary();
  vocabulary.bert = {.lowercase = false, .strip_accents = false};
  const auto cased = make_tokenizer(share(vocabulary));
  EXPECT_EQ(encode(*cased, "He he"), (Ids{kBig, kHe}));
  EXPECT_EQ(encode(*cased, "caf\xC3\xA9"), Ids{kUnknown});
  vocabulary.bert = {.lowercase = true, .strip_accents = false};
  EXPECT_EQ(encode(*make_tokenizer(share(vocabulary)), "\xC4\xB0"), Ids{kDotted});
}

TEST(BertTokenizer, DecodesWords) {
  const auto tokenizer = make_tokenizer(share(bert_vocabulary()));
  EXPECT_EQ(decode(*tokenizer, tokenizer->encode("hello cafe", {})), "hello cafe");
  EXPECT_EQ(tokenizer->piece_bytes(TokenId(kBegin), true), "[CLS]");
}

TEST(BertTokenizer, AnUnknownTokenIsNeeded) {
  Vocabulary vocabulary = bert_vocabulary();
  vocabulary.unknown.reset();
  EXPECT_THROW(make_tokenizer(share(vocabulary)), Error);
}

}  // namespace
}  // namespace cairn::text
