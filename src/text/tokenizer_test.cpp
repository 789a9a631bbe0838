#include "text/tokenizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <thread>

#include "base/error.h"
#include "text/detokenizer.h"
#include "text/merge.h"
#include "text/piece_index.h"
#include "text/test_vocabularies.h"
#include "text/utf8.h"

namespace cairn::text {
namespace {

using testing::HasSubstr;
using Ids = std::vector<std::int32_t>;

constexpr EncodeOptions kPlain{.add_special = false, .parse_special = false};
constexpr EncodeOptions kParsed{.add_special = false, .parse_special = true};

Ids encode(const Tokenizer& tokenizer, std::string_view text, EncodeOptions options = kPlain) {
  return values_of(tokenizer.encode(text, options));
}

void expect_error(ErrorKind kind, const std::string& part, Vocabulary vocabulary) {
  try {
    make_tokenizer(share(std::move(vocabulary)));
    FAIL() << "no error, expected " << part;
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind);
    EXPECT_THAT(error.message(), HasSubstr(part));
  }
}

// "\xC4\xA0" is how the alphabet writes the space.
Vocabulary hello_vocabulary(std::string pre_tokenizer) {
  return byte_level_vocabulary(std::move(pre_tokenizer), {"h e", "l l", "he ll", "hell o",
                                                          "\xC4\xA0 w", "o r", "\xC4\xA0w or"});
}

TEST(ByteLevelBpe, MergesWithinPieces) {
  const auto tokenizer = make_tokenizer(share(hello_vocabulary("gpt-2")));
  EXPECT_EQ(encode(*tokenizer, "hello world"), (Ids{259, 262, 'l', 'd'}));
  EXPECT_EQ(encode(*tokenizer, "hell"), (Ids{258}));
  EXPECT_EQ(encode(*tokenizer, "helo"), (Ids{256, 'l', 'o'}));
  EXPECT_EQ(encode(*tokenizer, ""), (Ids{}));
  EXPECT_EQ(encode(*tokenizer, "wor wor"), (Ids{'w', 261, 262}));
}

TEST(ByteLevelBpe, InvalidUtf8BecomesItsBytes) {
  const auto tokenizer = make_tokenizer(share(hello_vocabulary("gpt-2")));
  EXPECT_EQ(encode(*tokenizer, "he\xFFhe"), (Ids{256, 0xFF, 256}));
  EXPECT_EQ(encode(*tokenizer, "\xE4\xB8"), (Ids{0xE4, 0xB8}));
  EXPECT_EQ(encode(*tokenizer, "\xC0\x80"), (Ids{0xC0, 0x80}));
}

TEST(ByteLevelBpe, WholePiecesBeforeMergesWhereTheModelSaysSo) {
  for (const char* name : {"llama-bpe", "gpt-2"}) {
    Vocabulary vocabulary = hello_vocabulary(name);
    const TokenId whole = add_token(vocabulary, "xyz", TokenKind::normal);
    const auto tokenizer = make_tokenizer(share(vocabulary));
    const bool ignores_merges = std::string_view(name) == "llama-bpe";
    EXPECT_EQ(encode(*tokenizer, "xyz"), ignores_merges ? Ids{whole.value} : (Ids{'x', 'y', 'z'}));
  }
}

TEST(ByteLevelBpe, ComposesWhereTheModelDid) {
  EXPECT_EQ(encode(*make_tokenizer(share(hello_vocabulary("qwen2"))), "e\xCC\x81"),
            (Ids{0xC3, 0xA9}));
  EXPECT_EQ(encode(*make_tokenizer(share(hello_vocabulary("gpt-2"))), "e\xCC\x81"),
            (Ids{'e', 0xCC, 0x81}));
}

TEST(ByteLevelBpe, BytesWithoutATokenAreDropped) {
  Vocabulary vocabulary = byte_level_vocabulary("gpt-2", {"a b"});
  vocabulary.pieces[0x04] = "other";
  const auto tokenizer = make_tokenizer(share(vocabulary));
  EXPECT_EQ(encode(*tokenizer,
                   "\x04"
                   "ab"),
            (Ids{256}));
}

TEST(ByteLevelBpe, SpecialTokens) {
  Vocabulary vocabulary = hello_vocabulary("gpt-2");
  const TokenId end = add_token(vocabulary, "<|im_end|>", TokenKind::control);
  const TokenId call = add_token(vocabulary, "<call>", TokenKind::user_defined);
  const auto tokenizer = make_tokenizer(share(vocabulary));
  EXPECT_EQ(encode(*tokenizer, "hello<|im_end|>", kParsed), (Ids{259, end.value}));
  EXPECT_EQ(encode(*tokenizer, "hello<|im_end|>").size(), 11U);
  EXPECT_EQ(encode(*tokenizer, "<call>hello"), (Ids{call.value, 259}));
  EXPECT_EQ(tokenizer->piece_bytes(end, false), "");
  EXPECT_EQ(tokenizer->piece_bytes(end, true), "<|im_end|>");
  EXPECT_EQ(tokenizer->piece_bytes(call, false), "<call>");
  EXPECT_EQ(tokenizer->piece_bytes(TokenId(262), false), " wor");
  EXPECT_EQ(tokenizer->find_piece("<|im_end|>"), end);
  EXPECT_EQ(tokenizer->find_piece("<|im_start|>"), std::nullopt);
}

TEST(ByteLevelBpe, BosAndEosAsTheFileSays) {
  Vocabulary vocabulary = hello_vocabulary("gpt-2");
  vocabulary.bos = TokenId(1);
  vocabulary.eos = TokenId(2);
  const auto encoded = [&](bool add_bos, bool add_eos) {
    vocabulary.add_bos = add_bos;
    vocabulary.add_eos = add_eos;
    return encode(*make_tokenizer(share(vocabulary)), "hello", {});
  };
  EXPECT_EQ(encoded(false, false), (Ids{259}));
  EXPECT_EQ(encoded(true, true), (Ids{1, 259, 2}));
  EXPECT_EQ(encode(*make_tokenizer(share(vocabulary)), "hello", kPlain), (Ids{259}));
}

TEST(ByteLevelBpe, WrongVocabulariesAreRefused) {
  Vocabulary unknown_piece = hello_vocabulary("gpt-2");
  unknown_piece.merges.emplace_back("q z");
  expect_error(ErrorKind::corrupt, "merge 7 'q z'", unknown_piece);
  Vocabulary no_pair = hello_vocabulary("gpt-2");
  no_pair.merges.emplace_back("hello");
  expect_error(ErrorKind::corrupt, "expected two pieces", no_pair);
  expect_error(ErrorKind::unsupported, "'no-such'", hello_vocabulary("no-such"));
  Vocabulary model = hello_vocabulary("gpt-2");
  model.model = "no-such-model";
  expect_error(ErrorKind::unsupported, "'no-such-model'", model);
  Vocabulary token = hello_vocabulary("gpt-2");
  token.eos = TokenId(9999);
  expect_error(ErrorKind::corrupt, "eos token is 9999", token);
  Vocabulary kinds = hello_vocabulary("gpt-2");
  kinds.kinds.pop_back();
  expect_error(ErrorKind::corrupt, "token types", kinds);
  expect_error(ErrorKind::corrupt, "0 tokens", Vocabulary());
}

TEST(ByteLevelBpe, TokenOutsideTheVocabularyIsAnError) {
  const auto tokenizer = make_tokenizer(share(hello_vocabulary("gpt-2")));
  EXPECT_THROW(tokenizer->piece_bytes(TokenId(-1), false), Error);
  EXPECT_THROW(tokenizer->piece_bytes(TokenId(263), false), Error);
}

const std::string kMark = "\xE2\x96\x81";  // U+2581

Vocabulary ab_vocabulary() {
  // 259 .. 265
  return sentence_piece_vocabulary({kMark, "a", "b", "ab", kMark + "ab", "aa", "abab"});
}

TEST(SentencePieceBpe, BestScoreFirst) {
  const auto tokenizer = make_tokenizer(share(ab_vocabulary()));
  EXPECT_EQ(encode(*tokenizer, "ab"), (Ids{263}));
  EXPECT_EQ(encode(*tokenizer, "abab"), (Ids{263, 262}));
  EXPECT_EQ(encode(*tokenizer, "aab"), (Ids{259, 260, 262}));
  EXPECT_EQ(encode(*tokenizer, "ab ab"), (Ids{263, 263}));
  EXPECT_EQ(encode(*tokenizer, " ab"), (Ids{259, 263}));
  EXPECT_EQ(encode(*tokenizer, ""), (Ids{}));
}

TEST(SentencePieceBpe, UnknownCharactersBecomeBytes) {
  const auto tokenizer = make_tokenizer(share(ab_vocabulary()));
  EXPECT_EQ(encode(*tokenizer, "c"), (Ids{259, 3 + 'c'}));
  EXPECT_EQ(encode(*tokenizer, "a\xC3\xA9"), (Ids{259, 260, 3 + 0xC3, 3 + 0xA9}));
  EXPECT_EQ(encode(*tokenizer, "a\xFFz"), (Ids{259, 260, 3 + 0xFF, 3 + 'z'}));
}

TEST(SentencePieceBpe, UnknownTokenWhereThereAreNoBytes) {
  Vocabulary vocabulary;
  vocabulary.model = "llama";
  vocabulary.unknown = add_token(vocabulary, "<unk>", TokenKind::unknown);
  add_token(vocabulary, "a", TokenKind::normal, -1);
  vocabulary.add_space_prefix = false;
  EXPECT_EQ(encode(*make_tokenizer(share(vocabulary)), "a\xC3\xA9z"), (Ids{1, 0, 0}));
}

TEST(SentencePieceBpe, SpacePrefixAlsoAfterSpecialTokens) {
  Vocabulary vocabulary = ab_vocabulary();
  EXPECT_EQ(encode(*make_tokenizer(share(vocabulary)), "ab</s>ab", kParsed), (Ids{263, 2, 263}));
  vocabulary.add_space_prefix = false;
  const auto tokenizer = make_tokenizer(share(vocabulary));
  EXPECT_EQ(encode(*tokenizer, "ab</s>ab", kParsed), (Ids{262, 2, 262}));
  EXPECT_EQ(encode(*tokenizer, "ab ab"), (Ids{262, 263}));
}

TEST(SentencePieceBpe, UserDefinedPiecesStandAsWritten) {
  Vocabulary vocabulary = ab_vocabulary();
  vocabulary.add_space_prefix = false;
  const TokenId pair = add_token(vocabulary, "a b", TokenKind::user_defined);
  const auto tokenizer = make_tokenizer(share(vocabulary));
  EXPECT_EQ(encode(*tokenizer, "aa bb"), (Ids{260, pair.value, 261}));
  EXPECT_EQ(tokenizer->piece_bytes(pair, false), "a b");
  EXPECT_EQ(tokenizer->piece_bytes(TokenId(263), false), " ab");
  EXPECT_EQ(tokenizer->piece_bytes(TokenId(3 + 0x41), false), "A");
  EXPECT_EQ(tokenizer->piece_bytes(TokenId(1), false), "");
  EXPECT_EQ(tokenizer->piece_bytes(TokenId(1), true), "<s>");
}

TEST(SentencePieceBpe, PiecesMayCrossSpaces) {
  Vocabulary vocabulary =
      sentence_piece_vocabulary({kMark, "a", "b", kMark + "a", "b" + kMark + "a"});
  vocabulary.add_space_prefix = false;
  EXPECT_EQ(encode(*make_tokenizer(share(vocabulary)), "ab ab a"), (Ids{260, 263, 263}));
}

TEST(SentencePieceBpe, MissingScoresAreAnError) {
  Vocabulary vocabulary = ab_vocabulary();
  vocabulary.scores.clear();
  expect_error(ErrorKind::corrupt, "scores", vocabulary);
}

// Cutting at words and remembering them must not show: merging the whole text at once is the truth.
TEST(SentencePieceBpe, EqualsMergingTheWholeText) {
  std::mt19937 random(17);
  const std::vector<std::string> letters = {kMark, "a", "b", "\xC3\xA9"};
  for (int round = 0; round < 100; ++round) {
    std::vector<std::string> pieces = letters;
    for (int i = 0; i < 12; ++i)
      pieces.push_back(pieces[random() % pieces.size()] + pieces[random() % pieces.size()]);
    std::shuffle(pieces.begin(), pieces.end(), random);
    Vocabulary vocabulary = sentence_piece_vocabulary(pieces);
    vocabulary.add_space_prefix = false;
    const auto tokenizer = make_tokenizer(share(vocabulary));
    PieceIndex index(pieces.size());
    for (std::size_t i = 0; i < pieces.size(); ++i)
      index.insert(pieces[i], TokenId(static_cast<std::int32_t>(i)));
    for (int text_round = 0; text_round < 20; ++text_round) {
      SymbolList symbols;
      std::string text;
      std::string escaped;
      for (std::uint32_t i = random() % 30; i > 0; --i) {
        const std::string& letter = letters[random() % letters.size()];
        text += letter == kMark ? " " : letter;
        escaped += letter;
        symbols.push(*index.find(letter), static_cast<std::uint32_t>(escaped.size()));
      }
      symbols.merge([&](TokenId, TokenId, std::uint32_t begin, std::uint32_t end) {
        const auto token = index.find(std::string_view(escaped).substr(begin, end - begin));
        return token ? std::optional(Merge{static_cast<std::uint32_t>(token->value), *token})
                     : std::nullopt;
      });
      Ids expected;
      symbols.for_each([&](TokenId token, std::uint32_t begin, std::uint32_t end) {
        const std::string_view piece = std::string_view(escaped).substr(begin, end - begin);
        expected.push_back(index.find(piece)->value + kFirstSentencePiece);
        EXPECT_EQ(index.find(piece), token);
      });
      ASSERT_EQ(encode(*tokenizer, text), expected) << text;
    }
  }
}

std::string random_bytes(std::mt19937& random) {
  const std::vector<std::string> parts = {"hello",    " wor", "ab",       "a b",
                                          "  ",       "\n",   "\xC3\xA9", "\xF0\x9F\x98\x80",
                                          "\xF0\x9F", "\x80", "\xFF",     "7"};
  std::string text;
  for (std::uint32_t i = random() % 20; i > 0; --i) text += parts[random() % parts.size()];
  return text;
}

std::string all_bytes(const Tokenizer& tokenizer, const std::vector<TokenId>& tokens) {
  std::string bytes;
  for (const TokenId token : tokens) bytes += tokenizer.piece_bytes(token, true);
  return bytes;
}

TEST(Tokenizer, BytesComeBack) {
  std::mt19937 random(23);
  Vocabulary sentence_piece = ab_vocabulary();
  const auto with_prefix = make_tokenizer(share(sentence_piece));
  sentence_piece.add_space_prefix = false;
  const auto without_prefix = make_tokenizer(share(sentence_piece));
  const auto byte_level = make_tokenizer(share(hello_vocabulary("gpt-2")));
  for (int round = 0; round < 1000; ++round) {
    const std::string text = random_bytes(random);
    ASSERT_EQ(all_bytes(*byte_level, byte_level->encode(text, kPlain)), text);
    ASSERT_EQ(all_bytes(*without_prefix, without_prefix->encode(text, kPlain)), text);
    ASSERT_EQ(all_bytes(*with_prefix, with_prefix->encode(text, kPlain)),
              text.empty() ? "" : " " + text);
    std::string readable;
    std::string rest = text;
    move_utf8(rest, readable, true);
    ASSERT_EQ(decode(*with_prefix, with_prefix->encode(text, kPlain)), readable);
    ASSERT_EQ(decode(*byte_level, byte_level->encode(text, kPlain)), readable);
  }
}

TEST(Tokenizer, MegabytesOfOneCharacter) {
  const auto byte_level = make_tokenizer(
      share(byte_level_vocabulary("gpt-2", {"a a", "aa aa", "( (", "\xC4\xA0 \xC4\xA0"})));
  const auto sentence_piece = make_tokenizer(share(ab_vocabulary()));
  for (const char* unit : {"a", "(", " ", "\n", "\xC3\xA9", "ab ", "\xFF"}) {
    std::string text;
    while (text.size() < 1'000'000) text += unit;
    ASSERT_EQ(all_bytes(*byte_level, byte_level->encode(text, kPlain)), text);
    ASSERT_EQ(all_bytes(*sentence_piece, sentence_piece->encode(text, kPlain)), " " + text);
  }
}

TEST(Tokenizer, ThreadsShareOne) {
  const auto tokenizer = make_tokenizer(share(hello_vocabulary("gpt-2")));
  std::mt19937 random(29);
  std::vector<std::string> texts;
  std::vector<Ids> expected;
  for (int i = 0; i < 200; ++i) {
    texts.push_back(random_bytes(random));
    expected.push_back(encode(*make_tokenizer(share(hello_vocabulary("gpt-2"))), texts.back()));
  }
  std::vector<std::thread> threads;
  std::vector<int> wrong(4);
  threads.reserve(wrong.size());
  for (int& count : wrong)
    threads.emplace_back([&] {
      for (std::size_t i = 0; i < texts.size(); ++i)
        count += encode(*tokenizer, texts[i]) == expected[i] ? 0 : 1;
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, std::vector<int>(4));
}

}  // namespace
}  // namespace cairn::text
