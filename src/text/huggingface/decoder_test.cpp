#include "text/huggingface/decoder.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "text/detokenizer.h"
#include "text/huggingface/json_document.h"

namespace cairn::text::huggingface {
namespace {

/// The text of the pieces; equal pieces are one token.
std::string decode_pieces(const std::string& block, const std::vector<std::string>& pieces) {
  const JsonDocument document(block, "decoder");
  const Decoder decoder(document.root());
  DecodeState state;
  std::string bytes;
  for (const std::string& piece : pieces) {
    const auto first = std::find(pieces.begin(), pieces.end(), piece);
    decoder.append(TokenId(static_cast<std::int32_t>(first - pieces.begin())), piece, state, bytes);
  }
  return bytes;
}

TEST(DecoderTest, WithoutABlockTokensStandApart) {
  DecodeState state;
  std::string bytes;
  const Decoder decoder;
  for (const char* piece : {"a", "b"}) decoder.append(TokenId(0), piece, state, bytes);
  EXPECT_EQ(bytes, "a b");
}

TEST(DecoderTest, ByteLevelTakesForeignPiecesAsTheyAre) {
  EXPECT_EQ(decode_pieces(R"({"type":"ByteLevel"})", {"Ġa", "ÃĊ", "日 Ġ"}), " a\xC3\n日 Ġ");
}

TEST(DecoderTest, WordPieceJoinsAndCleansUp) {
  const std::string block = R"({"type":"WordPiece","prefix":"##","cleanup":true})";
  EXPECT_EQ(decode_pieces(block, {"##he", "##llo", "you", ".", "do", "n't"}), "##hello you. don't");
  const std::string plain = R"({"type":"WordPiece","prefix":"##","cleanup":false})";
  EXPECT_EQ(decode_pieces(plain, {"a", "."}), "a .");
}

TEST(DecoderTest, MetaspaceDropsTheFirstTokensMarks) {
  EXPECT_EQ(decode_pieces(R"({"type":"Metaspace","replacement":"▁"})", {"▁a▁", "▁b"}), "a b");
  EXPECT_EQ(
      decode_pieces(R"({"type":"Metaspace","replacement":"▁","prepend_scheme":"never"})", {"▁a"}),
      " a");
}

TEST(DecoderTest, BpeSuffixIsABlankUnlessItIsLast) {
  EXPECT_EQ(decode_pieces(R"({"type":"BPEDecoder","suffix":"</w>"})", {"a", "b</w>", "c</w>"}),
            "ab c");
}

TEST(DecoderTest, CtcSkipsRepeatedTokens) {
  const std::string block =
      R"({"type":"CTC","pad_token":"<pad>","word_delimiter_token":"|","cleanup":true})";
  EXPECT_EQ(decode_pieces(block, {"h", "h", "<pad>", "h", "|", "|", "o", "<pad>", "o"}), "hh oo");
}

TEST(DecoderTest, FusedTextIsStrippedAtItsEnds) {
  const auto block = [](int start, int stop) {
    return fmt::format(R"({{"type":"Sequence","decoders":[{{"type":"Replace","pattern":)"
                       R"({{"String":"_"}},"content":" "}},{{"type":"ByteFallback"}},)"
                       R"({{"type":"Fuse"}},{{"type":"Strip","content":" ","start":{},)"
                       R"("stop":{}}}]}})",
                       start, stop);
  };
  EXPECT_EQ(decode_pieces(block(1, 0), {"__a", "<0xC3>", "<0xA9>", "b_"}),
            " a\xC3\xA9"
            "b ");
  EXPECT_EQ(decode_pieces(block(3, 0), {"_", "_x_", "_a"}), "x  a");
  EXPECT_EQ(decode_pieces(block(0, 2), {"a__", "_", "b_", "__"}), "a   b ");
  EXPECT_EQ(decode_pieces(block(1, 1), {"__"}), "");
}

TEST(DecoderTest, StripWithoutFuseIsPerToken) {
  EXPECT_EQ(
      decode_pieces(R"({"type":"Strip","content":"-","start":1,"stop":1})", {"--a-", "-", "b--"}),
      "-ab-");
}

TEST(DecoderTest, WhatNeedsTheWholeTextIsRefusedByName) {
  const std::string block =
      R"({"type":"Sequence","decoders":[{"type":"Fuse"},{"type":"WordPiece","prefix":"##",
          "cleanup":true}]})";
  EXPECT_THROW(decode_pieces(block, {}), Error);
  EXPECT_THROW(decode_pieces(R"({"type":"Frob"})", {}), Error);
}

}  // namespace
}  // namespace cairn::text::huggingface
