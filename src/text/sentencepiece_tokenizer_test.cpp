#include "text/sentencepiece_tokenizer.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "text/detokenizer.h"
#include "text/space_mark.h"
#include "text/test_precompiled_map.h"
#include "text/test_vocabularies.h"

namespace cairn::text {
namespace {

using Ids = std::vector<std::int32_t>;

constexpr EncodeOptions kPlain{.add_special = false, .parse_special = false};
enum : std::int32_t { kPad, kEnd, kUnknown, kMark, kA, kB, kMarkAb, kExtra };

Vocabulary t5_vocabulary(std::string_view model = kT5Model) {
  const std::string mark(kSpaceMark);
  Vocabulary vocabulary;
  vocabulary.model = model;
  vocabulary.add_eos = true;
  const auto add = [&](const std::string& piece, TokenKind kind, float score) {
    vocabulary.scores.push_back(score);
    return add_token(vocabulary, piece, kind);
  };
  vocabulary.padding = add("<pad>", TokenKind::control, 0);
  vocabulary.eos = add("</s>", TokenKind::control, 0);
  vocabulary.unknown = add("<unk>", TokenKind::unknown, 0);
  add(mark, TokenKind::normal, -2);
  add("a", TokenKind::normal, -3);
  add("b", TokenKind::normal, -3.5);
  add(mark + "ab", TokenKind::normal, -4);
  add("<extra_id_0>", TokenKind::user_defined, 0);
  vocabulary.sentence_piece.remove_extra_spaces = true;
  vocabulary.sentence_piece.precompiled_map = compile_rules({{"\t", " "}, {"\xC3\xA4", "a"}});
  return vocabulary;
}

Ids encode(const Tokenizer& tokenizer, std::string_view text) {
  return values_of(tokenizer.encode(text, kPlain));
}

TEST(SentencePieceTokenizer, NormalizesThenFindsTheBestPieces) {
  const auto tokenizer = make_tokenizer(share(t5_vocabulary()));
  EXPECT_EQ(encode(*tokenizer, "ab"), Ids{kMarkAb});
  EXPECT_EQ(encode(*tokenizer, "\t ab\t\tba "), (Ids{kMarkAb, kMark, kB, kA}));
  EXPECT_EQ(encode(*tokenizer, "axy"), (Ids{kMark, kA, kUnknown}));
  EXPECT_EQ(values_of(tokenizer->encode("ab", {})), (Ids{kMarkAb, kEnd}));
  const Encoding encoding = tokenizer->encode_with_offsets(" \xC3\xA4  ab", kPlain);
  EXPECT_EQ(values_of(encoding.tokens), (Ids{kMark, kA, kMarkAb}));
  EXPECT_EQ(encoding.offsets, (std::vector<TokenOffsets>{{1, 1}, {1, 3}, {3, 7}}));
}

TEST(SentencePieceTokenizer, UserDefinedPiecesPartTheTextOfT5Alone) {
  EXPECT_EQ(encode(*make_tokenizer(share(t5_vocabulary())), "ab<extra_id_0>ab"),
            (Ids{kMarkAb, kExtra, kMarkAb}));
  EXPECT_EQ(encode(*make_tokenizer(share(t5_vocabulary(kUnigramModel))), "ab<extra_id_0>ab"),
            (Ids{kMarkAb, kExtra, kA, kB}));
}

TEST(SentencePieceTokenizer, DecodesWithoutTheFirstSpace) {
  Vocabulary vocabulary = t5_vocabulary();
  const auto text = [&](const Ids& ids) {
    std::vector<TokenId> tokens;
    for (const std::int32_t id : ids) tokens.emplace_back(id);
    return decode(*make_tokenizer(share(vocabulary)), tokens);
  };
  EXPECT_EQ(text({kMarkAb, kMarkAb, kEnd}), "ab ab");
  EXPECT_EQ(text({kMark, kMarkAb}), "ab");
  EXPECT_EQ(text({kA, kUnknown}), "a<unk>");
  vocabulary.sentence_piece.remove_extra_spaces = false;
  vocabulary.sentence_piece.unknown_text = " ? ";
  EXPECT_EQ(text({kMark, kMarkAb}), " ab");
  EXPECT_EQ(text({kUnknown, kMarkAb}), " ?  ab");
}

TEST(SentencePieceTokenizer, WrongVocabulariesAreRefused) {
  Vocabulary no_unknown = t5_vocabulary();
  no_unknown.unknown.reset();
  EXPECT_THROW(make_tokenizer(share(no_unknown)), Error);
  Vocabulary no_scores = t5_vocabulary();
  no_scores.scores.clear();
  EXPECT_THROW(make_tokenizer(share(no_scores)), Error);
  Vocabulary no_bytes = t5_vocabulary();
  no_bytes.sentence_piece.byte_fallback = true;
  EXPECT_THROW(make_tokenizer(share(no_bytes)), Error);
  Vocabulary no_rules = t5_vocabulary();
  no_rules.sentence_piece.precompiled_map = "abc";
  EXPECT_THROW(make_tokenizer(share(no_rules)), Error);
}

}  // namespace
}  // namespace cairn::text
