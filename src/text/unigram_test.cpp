#include "text/unigram.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <string>

#include "base/error.h"
#include "text/utf8.h"

namespace cairn::text {
namespace {

using Scores = std::map<std::string, double>;

constexpr std::int32_t kUnknownToken = 999;

struct Subject {
  Scores scores;
  std::vector<std::string> pieces;  // by token

  UnigramModel model(UnigramModel::Options options) const {
    std::vector<UnigramModel::Piece> list;
    for (std::size_t i = 0; i < pieces.size(); ++i)
      list.push_back({pieces[i], scores.at(pieces[i]), TokenId(static_cast<std::int32_t>(i))});
    options.unknown = TokenId(kUnknownToken);
    return UnigramModel(list, options);
  }
};

Subject subject_of(Scores scores) {
  Subject subject{std::move(scores), {}};
  for (const auto& [piece, score] : subject.scores) subject.pieces.push_back(piece);
  return subject;
}

std::vector<TokenRange> encode(const UnigramModel& model, std::string_view text) {
  UnigramModel::Scratch scratch;
  std::vector<TokenRange> output;
  model.encode(text, scratch, output);
  return output;
}

std::string shown(const UnigramModel& model, std::string_view text) {
  std::string result;
  for (const TokenRange& range : encode(model, text)) {
    if (!result.empty()) result += '|';
    result += text.substr(range.begin, range.end - range.begin);
    if (range.token.value == kUnknownToken) result += '?';
  }
  return result;
}

TEST(UnigramModel, TheBestSum) {
  const Subject subject = subject_of(
      {{"a", 0}, {"b", 0}, {"c", 0}, {"d", 0}, {"cd", 1}, {"ab", 2}, {"abc", 5}, {"abcd", 10}});
  const UnigramModel model = subject.model({.unknown_score = -10});
  EXPECT_EQ(shown(model, "abcdacdxx"), "abcd|a|cd|xx?");
  EXPECT_EQ(shown(model, "xay"), "x?|a|y?");
  EXPECT_EQ(shown(model, ""), "");
  EXPECT_EQ(shown(model, "\xC3\xA4\xF0\x9F\x98\x80"), "\xC3\xA4\xF0\x9F\x98\x80?");
  const UnigramModel apart = subject.model({.unknown_score = -10, .fuse_unknown = false});
  EXPECT_EQ(shown(apart, "a\xC3\xA4\xF0\x9F\x98\x80"), "a|\xC3\xA4?|\xF0\x9F\x98\x80?");
}

TEST(UnigramModel, OfEqualSumsTheFirstFoundStays) {
  const Subject subject = subject_of({{"a", -1}, {"aa", -2}, {"aaa", -3}});
  EXPECT_EQ(shown(subject.model({.unknown_score = -13}), "aaaa"), "a|aaa");
}

// The whole text at once, without cutting it where everything is decided.
std::vector<TokenRange> viterbi(const Subject& subject, double unknown_score,
                                std::string_view text) {
  struct Node {
    double sum = -std::numeric_limits<double>::infinity();
    TokenRange last;
  };
  std::vector<Node> best(text.size() + 1);
  best[0].sum = 0;
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t character = next_utf8(text.substr(begin)).size_bytes;
    bool known = false;
    const auto offer = [&](std::size_t size, double score, std::int32_t token) {
      Node& node = best[begin + size];
      if (!(best[begin].sum + score > node.sum)) return;
      node = {best[begin].sum + score,
              {TokenId(token), static_cast<std::uint32_t>(begin),
               static_cast<std::uint32_t>(begin + size)}};
    };
    for (std::size_t size = 1; begin + size <= text.size(); ++size) {
      const auto piece = subject.scores.find(std::string(text.substr(begin, size)));
      if (piece == subject.scores.end()) continue;
      known = known || size == character;
      const auto index = std::distance(subject.scores.begin(), piece);
      offer(size, piece->second, static_cast<std::int32_t>(index));
    }
    if (!known) offer(character, unknown_score, kUnknownToken);
    begin += character;
  }
  std::vector<TokenRange> path;
  for (std::size_t at = text.size(); at > 0; at = path.back().begin) path.push_back(best[at].last);
  std::reverse(path.begin(), path.end());
  return path;
}

TEST(UnigramModel, EqualsTheSearchOfTheWholeText) {
  std::mt19937 random(5);
  const std::vector<std::string> letters = {"a", "b", "c", " ", "\xC3\xA4", "\xF0\x9F\x98\x80"};
  const auto random_text = [&](std::uint32_t longest) {
    std::string text;
    for (std::uint32_t i = 1 + random() % longest; i > 0; --i)
      text += letters[random() % letters.size()];
    return text;
  };
  for (int round = 0; round < 200; ++round) {
    Scores scores;
    for (std::uint32_t i = 1 + random() % 30; i > 0; --i)
      scores[random_text(4)] = -0.25 * static_cast<double>(random() % 60);
    const Subject subject = subject_of(std::move(scores));
    const UnigramModel model = subject.model(
        {.unknown_score = -25, .sums = UnigramModel::Sums::as_double, .fuse_unknown = false});
    for (int text_round = 0; text_round < 20; ++text_round) {
      const std::string text = random_text(40);
      ASSERT_EQ(encode(model, text), viterbi(subject, -25, text)) << text;
    }
  }
}

TEST(UnigramModel, AnyBytesAreCovered) {
  std::mt19937 random(9);
  const UnigramModel model =
      subject_of({{"a", -1}, {"\xC3", -2}, {"\xA4\xF0", -1}, {"\xF0\x9F\x98\x80", -3}})
          .model({.unknown_score = -13});
  for (int round = 0; round < 2000; ++round) {
    std::string text;
    for (std::uint32_t i = random() % 20; i > 0; --i)
      text.push_back("a\xC3\xA4\xF0\x9F\x98\x80"[random() % 7]);
    std::uint32_t end = 0;
    for (const TokenRange& range : encode(model, text)) {
      ASSERT_EQ(range.begin, end);
      end = range.end;
    }
    ASSERT_EQ(end, text.size());
  }
}

TEST(UnigramModel, LongRunsOfOneCharacter) {
  const UnigramModel model =
      subject_of({{"a", -3}, {"aa", -4}, {std::string(16, 'a'), -5}}).model({.unknown_score = -15});
  const auto tokens = encode(model, std::string(1 << 18, 'a'));
  EXPECT_EQ(tokens.size(), std::size_t{1} << 14);
  EXPECT_EQ(encode(model, std::string(1 << 18, 'x')).size(), 1U);
}

TEST(UnigramModel, UnknownCharactersFuseAcrossBatches) {
  const UnigramModel model = subject_of({{"a", -1}}).model({.unknown_score = -11});
  for (const std::size_t known : {1022U, 1023U, 1024U, 1025U}) {
    const std::string text = std::string(known, 'a') + std::string(5000, 'x') + "ax";
    UnigramModel::Scratch scratch;
    std::size_t batch_count = 0;
    std::vector<TokenRange> tokens;
    model.encode_batches(text, scratch, [&](std::span<const TokenRange> batch) {
      ++batch_count;
      tokens.insert(tokens.end(), batch.begin(), batch.end());
    });
    EXPECT_GT(batch_count, 1U);
    ASSERT_EQ(tokens.size(), known + 3);
    EXPECT_EQ(tokens[known].begin, known);
    EXPECT_EQ(tokens[known].end, known + 5000);
    EXPECT_EQ(tokens, encode(model, text));
  }
}

TEST(UnigramModel, ScoresMustBeFinite) {
  const Subject subject = subject_of({{"a", std::nan("")}});
  EXPECT_THROW(subject.model({}), Error);
}

}  // namespace
}  // namespace cairn::text
