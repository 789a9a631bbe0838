#include "text/gemma4_bpe.h"

#include <gtest/gtest.h>

#include <random>

#include "base/error.h"
#include "text/detokenizer.h"
#include "text/space_mark.h"
#include "text/test_vocabularies.h"
#include "text/utf8.h"

namespace cairn::text {
namespace {

using Ids = std::vector<std::int32_t>;

constexpr EncodeOptions kPlain{.add_special = false, .parse_special = false};
constexpr int kFirstPiece = 259;

const std::string kMark(kSpaceMark);

/// 0 unknown, 1 BOS, 2 EOS, token 3 + b is byte b, then `pieces`; merges in the order given.
Vocabulary gemma_vocabulary(const std::vector<std::string>& pieces,
                            const std::vector<std::string>& merges) {
  Vocabulary vocabulary;
  vocabulary.model = "gemma4";
  vocabulary.add_space_prefix = false;
  vocabulary.unknown = add_token(vocabulary, "<unk>", TokenKind::unknown);
  vocabulary.bos = add_token(vocabulary, "<bos>", TokenKind::control);
  vocabulary.eos = add_token(vocabulary, "<eos>", TokenKind::control);
  for (int byte = 0; byte < 256; ++byte)
    add_token(vocabulary, fmt::format("<0x{:02X}>", byte), TokenKind::byte);
  for (const std::string& piece : pieces) add_token(vocabulary, piece, TokenKind::normal);
  vocabulary.merges = merges;
  return vocabulary;
}

Vocabulary small_vocabulary() {
  return gemma_vocabulary(
      {kMark, "a", "b", "\n", "\n\n\n", kMark + "a", kMark + "ab", "ab", kMark + kMark},
      {kMark + " a", kMark + "a b", "a b", kMark + " " + kMark});
}

Ids encode(const Tokenizer& tokenizer, std::string_view text) {
  return values_of(tokenizer.encode(text, kPlain));
}

TEST(Gemma4Bpe, MergesLinesOfCharacters) {
  const auto tokenizer = make_tokenizer(share(small_vocabulary()));
  const auto id = [](int piece) { return kFirstPiece + piece; };
  EXPECT_EQ(encode(*tokenizer, "ab ab"), (Ids{id(7), id(6)}));
  EXPECT_EQ(encode(*tokenizer, "ab  ab"), (Ids{id(7), id(0), id(6)}));
  EXPECT_EQ(encode(*tokenizer, "a\nb"), (Ids{id(1), id(3), id(2)}));
  EXPECT_EQ(encode(*tokenizer, "\n\n\n"), (Ids{id(4)}));
  EXPECT_EQ(encode(*tokenizer, "\n\n"), (Ids{id(3), id(3)}));
  EXPECT_EQ(encode(*tokenizer, ""), Ids{});
}

TEST(Gemma4Bpe, WordsBetweenWhiteSpace) {
  Vocabulary vocabulary = gemma_vocabulary({"a", "b", "ab", "\u4f60", "\u597d", "\u4f60\u597d"},
                                           {"a b", "\u4f60 \u597d"});
  vocabulary.model = "gpt2";
  vocabulary.pre_tokenizer = "whitespace";
  const auto id = [](int piece) { return kFirstPiece + piece; };
  vocabulary.bert.lowercase = true;
  const auto tokenizer = make_tokenizer(share(vocabulary));
  const std::string text = " AB\u3000\u4f60\u597d\n ba\xFF";
  const Encoding encoding = tokenizer->encode_with_offsets(text, kPlain);
  EXPECT_EQ(values_of(encoding.tokens), (Ids{id(2), id(5), id(1), id(0), 3 + 0xFF}));
  EXPECT_EQ(encoding.offsets[0].begin, 1u);
  EXPECT_EQ(encoding.offsets[0].end, 3u);
  EXPECT_EQ(encoding.offsets[1].begin, 6u);
  EXPECT_EQ(encoding.offsets[1].end, 12u);
  EXPECT_EQ(encode(*tokenizer, " \n\t"), Ids{});
  vocabulary.bert.lowercase = false;
  EXPECT_EQ(encode(*make_tokenizer(share(vocabulary)), "Ab"), (Ids{3 + 'A', id(1)}));
}

TEST(Gemma4Bpe, CharactersWithoutAPieceBecomeBytes) {
  Vocabulary vocabulary = small_vocabulary();
  const auto tokenizer = make_tokenizer(share(vocabulary));
  const Encoding encoding = tokenizer->encode_with_offsets("a \xC3\xA4\xFF", kPlain);
  EXPECT_EQ(values_of(encoding.tokens),
            (Ids{kFirstPiece + 1, kFirstPiece, 3 + 0xC3, 3 + 0xA4, 3 + 0xFF}));
  EXPECT_EQ(encoding.offsets, (std::vector<TokenOffsets>{{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}}));
  vocabulary.kinds[3 + 0xA4] = TokenKind::unused;
  EXPECT_EQ(encode(*make_tokenizer(share(vocabulary)), "\xC3\xA4"), Ids{0});
}

TEST(Gemma4Bpe, SpecialTokensAndDecoding) {
  Vocabulary vocabulary = small_vocabulary();
  vocabulary.add_bos = true;
  const auto tokenizer = make_tokenizer(share(vocabulary));
  EXPECT_EQ(values_of(tokenizer->encode("ab<eos>", {true, true})), (Ids{1, kFirstPiece + 7, 2}));
  EXPECT_EQ(decode(*tokenizer, tokenizer->encode("ab  \xC3\xA4\n\n b", kPlain)),
            "ab  \xC3\xA4\n\n b");
}

TEST(Gemma4Bpe, PreTokenizersThatMeanTheSame) {
  Vocabulary vocabulary = small_vocabulary();
  vocabulary.model = "gpt2";
  vocabulary.pre_tokenizer = "sarvam-moe";
  EXPECT_EQ(encode(*make_tokenizer(share(vocabulary)), " ab"), Ids{kFirstPiece + 6});
}

TEST(Gemma4Bpe, WrongMergesAreRefused) {
  EXPECT_THROW(make_tokenizer(share(gemma_vocabulary({"a"}, {"a b"}))), Error);
  EXPECT_THROW(make_tokenizer(share(gemma_vocabulary({"a"}, {"a"}))), Error);
}

// Words are merged one by one; merging the whole line at once is the truth.
TEST(Gemma4Bpe, EqualsMergingTheWholeLine) {
  std::mt19937 random(19);
  const std::vector<std::string> letters = {kMark, "a", "b", "\xC3\xA9"};
  for (int round = 0; round < 100; ++round) {
    std::vector<std::string> pieces = letters;
    std::vector<std::string> merges;
    MergeTable table(20);
    PieceIndex index(40);
    for (std::size_t i = 0; i < letters.size(); ++i)
      index.insert(letters[i], TokenId(static_cast<std::int32_t>(i)));
    for (std::uint32_t i = 0; i < 12; ++i) {
      const auto left = static_cast<std::int32_t>(random() % pieces.size());
      const auto right = static_cast<std::int32_t>(random() % pieces.size());
      const std::string left_piece = pieces[static_cast<std::size_t>(left)];
      const std::string right_piece = pieces[static_cast<std::size_t>(right)];
      if (std::count(pieces.begin(), pieces.end(), left_piece + right_piece) > 0) continue;
      const TokenId whole(static_cast<std::int32_t>(pieces.size()));
      table.insert(TokenId(left), TokenId(right), {static_cast<std::uint32_t>(i), whole});
      pieces.push_back(left_piece + right_piece);
      merges.push_back(fmt::format("{} {}", left_piece, right_piece));
    }
    const auto tokenizer = make_tokenizer(share(gemma_vocabulary(pieces, merges)));
    for (int text_round = 0; text_round < 20; ++text_round) {
      std::string text;
      std::uint32_t end = 0;
      SymbolList symbols;
      for (std::uint32_t i = random() % 30; i > 0; --i) {
        const std::string& letter = letters[random() % letters.size()];
        text += letter == kMark ? " " : letter;
        end += static_cast<std::uint32_t>(letter.size());
        symbols.push(*index.find(letter), end);
      }
      symbols.merge([&](TokenId left, TokenId right, std::uint32_t, std::uint32_t) {
        return table.find(left, right);
      });
      Ids expected;
      symbols.for_each([&](TokenId token, std::uint32_t, std::uint32_t) {
        expected.push_back(token.value + kFirstPiece);
      });
      ASSERT_EQ(encode(*tokenizer, text), expected) << text;
    }
  }
}

TEST(Gemma4Bpe, LongRunsOfOneCharacter) {
  const auto tokenizer = make_tokenizer(share(small_vocabulary()));
  for (const char* unit : {"a", " ", "\n", "z", "\xFF", "ab "}) {
    std::string text;
    while (text.size() < 60'000) text += unit;
    std::string bytes;
    for (const TokenId token : tokenizer->encode(text, kPlain))
      bytes += tokenizer->piece_bytes(token, false);
    ASSERT_EQ(bytes, text);
  }
}

}  // namespace
}  // namespace cairn::text
