#include "text/rwkv_tokenizer.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "base/error.h"
#include "text/detokenizer.h"
#include "text/test_vocabularies.h"

namespace cairn::text {
namespace {

constexpr EncodeOptions kPlain{.add_special = false, .parse_special = false};

TEST(RwkvTokenizer, PiecesAreEscaped) {
  EXPECT_EQ(unescape_rwkv_piece("plain \xC3\xA4"), "plain \xC3\xA4");
  EXPECT_EQ(unescape_rwkv_piece(R"(\n\r\t\\\'\")"), "\n\r\t\\'\"");
  EXPECT_EQ(unescape_rwkv_piece(R"(a\x00\xffb)"), std::string("a\0\xFF"
                                                              "b",
                                                              4));
  for (const char* piece : {"\\", "\\q", "\\x", "\\x1", "\\xg0", "\\x1g", "\\x+1"})
    EXPECT_EQ(unescape_rwkv_piece(piece), std::nullopt) << piece;
}

/// Python's way to write bytes.
std::string escape(std::string_view bytes) {
  std::string piece;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\\')
      piece += "\\\\";
    else if (c == '\n')
      piece += "\\n";
    else if (byte < 0x20 || byte > 0x7E)
      piece += fmt::format("\\x{:02x}", byte);
    else
      piece += c;
  }
  return piece;
}

/// Token 0 is the end of a text, token 1 + i is byte i, then `pieces`.
Vocabulary world_vocabulary(const std::vector<std::string>& pieces, bool with_bytes = true) {
  Vocabulary vocabulary;
  vocabulary.model = "rwkv";
  add_token(vocabulary, "<s>", TokenKind::control);
  for (int byte = 0; with_bytes && byte < 256; ++byte)
    add_token(vocabulary, escape(std::string(1, static_cast<char>(byte))), TokenKind::normal);
  for (const std::string& piece : pieces) add_token(vocabulary, escape(piece), TokenKind::normal);
  return vocabulary;
}

TEST(RwkvTokenizer, LongestPieceFirst) {
  const auto tokenizer =
      make_tokenizer(share(world_vocabulary({"ab", "abcd", "\n\n", "\xE4\xBD"})));
  const auto encoded = tokenizer->encode_with_offsets("abcab\n\n\xE4\xBD\xA0", kPlain);
  EXPECT_EQ(values_of(encoded.tokens), (std::vector{257, 1 + 'c', 257, 259, 260, 1 + 0xA0}));
  EXPECT_EQ(encoded.offsets.back(), (TokenOffsets{9, 10}));
  EXPECT_EQ(tokenizer->piece_bytes(TokenId(259), false), "\n\n");
  EXPECT_EQ(tokenizer->piece_bytes(TokenId(0), false), "");
  EXPECT_EQ(values_of(tokenizer->encode("ab<s>", {false, true})), (std::vector{257, 0}));
  EXPECT_EQ(tokenizer->find_piece("\\n\\n"), TokenId(259));
}

TEST(RwkvTokenizer, EqualsTrying) {
  std::mt19937 random(13);
  const auto random_bytes = [&](std::uint32_t longest) {
    std::string bytes;
    for (std::uint32_t i = 1 + random() % longest; i > 0; --i)
      bytes.push_back("ab\\\n\xC3\xA4\xFF"[random() % 7]);
    return bytes;
  };
  for (int round = 0; round < 50; ++round) {
    std::map<std::string, std::int32_t> known;
    std::vector<std::string> pieces;
    for (int i = 0; i < 40; ++i)
      if (std::string piece = random_bytes(5); known.try_emplace(piece, 257 + pieces.size()).second)
        pieces.push_back(std::move(piece));
    for (int byte = 0; byte < 256; ++byte)
      known.try_emplace(std::string(1, static_cast<char>(byte)), 1 + byte);
    const auto tokenizer = make_tokenizer(share(world_vocabulary(pieces)));
    for (int text_round = 0; text_round < 50; ++text_round) {
      const std::string text = random_bytes(30);
      std::string rest;
      for (const TokenId token : tokenizer->encode(text, kPlain)) {
        const std::string bytes = tokenizer->piece_bytes(token, false);
        std::string longest;
        for (std::size_t size = 1; rest.size() + size <= text.size(); ++size)
          if (known.count(text.substr(rest.size(), size)) > 0)
            longest = text.substr(rest.size(), size);
        ASSERT_EQ(bytes, longest);
        rest += bytes;
      }
      ASSERT_EQ(rest, text);
    }
  }
}

TEST(RwkvTokenizer, BytesWithoutAPiece) {
  Vocabulary vocabulary = world_vocabulary({"a"}, false);
  EXPECT_EQ(values_of(make_tokenizer(share(vocabulary))->encode("aba", kPlain)),
            (std::vector{1, 1}));
  vocabulary.unknown = TokenId(0);
  EXPECT_EQ(values_of(make_tokenizer(share(vocabulary))->encode("aba", kPlain)),
            (std::vector{1, 0, 1}));
}

TEST(RwkvTokenizer, WrongEscapesAreRefused) {
  Vocabulary vocabulary = world_vocabulary({});
  add_token(vocabulary, "\\q", TokenKind::normal);
  EXPECT_THROW(make_tokenizer(share(vocabulary)), Error);
}

}  // namespace
}  // namespace cairn::text
