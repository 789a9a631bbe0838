#include "text/strip_rules.h"

#include <gtest/gtest.h>

#include "text/test_vocabularies.h"
#include "text/tokenizer.h"

namespace cairn::text {
namespace {

using Ids = std::vector<std::int32_t>;

constexpr EncodeOptions kParsed{.add_special = false, .parse_special = true};

TEST(StripRules, Phi3SwallowsWhiteSpaceAfterItsMarkers) {
  const std::string mark = "\xE2\x96\x81";
  Vocabulary vocabulary = sentence_piece_vocabulary({mark, "a", mark + "a"});
  vocabulary.add_space_prefix = false;
  const TokenId end = add_token(vocabulary, "<|end|>", TokenKind::control);
  const TokenId text_end = add_token(vocabulary, "<|endoftext|>", TokenKind::control);
  find_strip_rules(vocabulary, "Phi 3 Mini", "phi3");
  EXPECT_TRUE(vocabulary.strip_right.empty());
  find_strip_rules(vocabulary, "Phi-3-mini-4k", "phi3");
  EXPECT_EQ(vocabulary.strip_right, (std::vector<TokenId>{TokenId(2), end}));
  const auto tokenizer = make_tokenizer(share(vocabulary));
  EXPECT_EQ(values_of(tokenizer->encode("a<|end|>\n a<|endoftext|> a</s> a", kParsed)),
            (Ids{260, end.value, 260, text_end.value, 261, 2, 260}));
}

TEST(StripRules, MasksSwallowWhiteSpaceBeforeThem) {
  Vocabulary vocabulary = byte_level_vocabulary("jina-v2-code", {});
  const TokenId mask = add_token(vocabulary, "<mask>", TokenKind::control);
  find_strip_rules(vocabulary, "", "jina-bert-v2");
  EXPECT_EQ(values_of(make_tokenizer(share(vocabulary))->encode("a <mask> b", kParsed)),
            (Ids{'a', mask.value, ' ', 'b'}));
}

}  // namespace
}  // namespace cairn::text
