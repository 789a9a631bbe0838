#include "text/huggingface/pre_tokenized.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace cairn::text::huggingface {
namespace {

using testing::ElementsAre;

std::vector<std::string> texts_of(const PreTokenized& text) {
  std::vector<std::string> texts;
  for (const Split& split : text.splits()) texts.emplace_back(text.text_of(split));
  return texts;
}

std::vector<std::string> cut_at_dashes(const char* text, SplitBehavior behavior) {
  PreTokenized pre_tokenized;
  pre_tokenized.assign(text, false);
  pre_tokenized.cut_at([](char32_t c) { return c == '-'; }, behavior);
  return texts_of(pre_tokenized);
}

TEST(PreTokenizedTest, BehaviorsAreAsDocumented) {
  const char* text = "the-final--countdown";
  EXPECT_THAT(cut_at_dashes(text, SplitBehavior::removed),
              ElementsAre("the", "final", "countdown"));
  EXPECT_THAT(cut_at_dashes(text, SplitBehavior::isolated),
              ElementsAre("the", "-", "final", "-", "-", "countdown"));
  EXPECT_THAT(cut_at_dashes(text, SplitBehavior::merged_with_previous),
              ElementsAre("the-", "final-", "-", "countdown"));
  EXPECT_THAT(cut_at_dashes(text, SplitBehavior::merged_with_next),
              ElementsAre("the", "-final", "-", "-countdown"));
  EXPECT_THAT(cut_at_dashes(text, SplitBehavior::contiguous),
              ElementsAre("the", "-", "final", "--", "countdown"));
}

TEST(PreTokenizedTest, MatchesAtTheEnds) {
  EXPECT_THAT(cut_at_dashes("-a-", SplitBehavior::merged_with_previous), ElementsAre("-", "a-"));
  EXPECT_THAT(cut_at_dashes("-a-", SplitBehavior::merged_with_next), ElementsAre("-a", "-"));
  EXPECT_THAT(cut_at_dashes("--", SplitBehavior::removed), ElementsAre());
  EXPECT_THAT(cut_at_dashes("", SplitBehavior::isolated), ElementsAre());
}

TEST(PreTokenizedTest, SourcesSurviveChanges) {
  PreTokenized text;
  text.assign("aéb\xFF", true);
  text.rewrite([](Rewriter& rewriter, const Split&) {
    rewriter.insert_before("<");
    rewriter.remove();      // a
    rewriter.replace("e");  // é
    rewriter.insert("\xCC\x81");
    rewriter.keep(1);  // b
    rewriter.keep(3);  // U+FFFD for the invalid byte
  });
  EXPECT_THAT(texts_of(text), ElementsAre("<e\xCC\x81"
                                          "b\xEF\xBF\xBD"));
  EXPECT_EQ(text.source_of(0, 1), (TokenOffsets{0, 1}));
  EXPECT_EQ(text.source_of(1, 4), (TokenOffsets{1, 3}));
  EXPECT_EQ(text.source_of(4, 5), (TokenOffsets{3, 4}));
  EXPECT_EQ(text.source_of(5, 8), (TokenOffsets{4, 5}));
}

}  // namespace
}  // namespace cairn::text::huggingface
