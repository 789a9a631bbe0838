#include "engine/sampling_breakers.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cairn::engine {
namespace {

/// One token a piece; text is encoded by the longest piece that fits.
class PieceTokenizer final : public text::Tokenizer {
 public:
  explicit PieceTokenizer(std::vector<std::string> pieces)
      : Tokenizer([&] {
          auto vocabulary = std::make_shared<text::Vocabulary>();
          vocabulary->pieces = std::move(pieces);
          return vocabulary;
        }()) {}

  std::string piece_bytes(TokenId token, bool) const override {
    return vocabulary().pieces[static_cast<std::size_t>(token.value)];
  }
  bool strips_leading_space() const override { return false; }
  std::optional<TokenId> find_piece(std::string_view) const override { return std::nullopt; }

 protected:
  void encode_input(const Input& input, text::Encoding& output, bool) const override {
    std::string_view rest = input.text;
    while (!rest.empty()) {
      const TokenId token = longest_prefix(rest);
      output.tokens.push_back(token);
      rest.remove_prefix(piece_bytes(token, true).size());
    }
  }

 private:
  TokenId longest_prefix(std::string_view text) const {
    std::size_t best = 0;
    std::size_t length = 0;
    for (std::size_t i = 0; i < vocabulary().pieces.size(); ++i) {
      const std::string& piece = vocabulary().pieces[i];
      if (!text.starts_with(piece) || piece.size() <= length) continue;
      best = i;
      length = piece.size();
    }
    return TokenId(static_cast<std::int32_t>(best));
  }
};

struct Spelling {
  int head;
  std::vector<int> tail;
  friend bool operator==(const Spelling&, const Spelling&) = default;
};

std::vector<Spelling> spellings(const std::vector<std::string>& breakers) {
  const PieceTokenizer tokenizer({"a", "b", "c", "xa", "abc", "bc", "\n", "x\ny", "aa"});
  std::vector<Spelling> found;
  const auto table = make_breaker_table(tokenizer, breakers);
  for (const auto& [head, tail] : *table) {
    found.push_back({head.value, {}});
    for (const TokenId token : tail) found.back().tail.push_back(token.value);
  }
  return found;
}

TEST(SamplingBreakers, TokensThatHoldTheStringNeedNoTail) {
  EXPECT_EQ(spellings({"\n"}), (std::vector<Spelling>{{6, {}}, {7, {}}}));
}

TEST(SamplingBreakers, TokensThatEndWithItsBeginningNeedTheRest) {
  EXPECT_EQ(spellings({"abc"}), (std::vector<Spelling>{{0, {5}}, {3, {5}}, {4, {}}, {8, {5}}}));
}

TEST(SamplingBreakers, EachSpellingStandsOnce) {
  EXPECT_EQ(spellings({"abc", "abc"}), spellings({"abc"}));
  EXPECT_EQ(spellings({"aac"}),
            (std::vector<Spelling>{{0, {0, 2}}, {3, {0, 2}}, {8, {0, 2}}, {8, {2}}}));
  EXPECT_TRUE(spellings({"q", ""}).empty());
}

}  // namespace
}  // namespace cairn::engine
