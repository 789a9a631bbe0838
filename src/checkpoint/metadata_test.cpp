#include "checkpoint/metadata.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "checkpoint/test_files.h"

namespace cairn::checkpoint {
namespace {

Metadata example() {
  Metadata metadata("model.gguf");
  metadata.insert("integer", std::int64_t{-3});
  metadata.insert("large", std::numeric_limits<std::uint64_t>::max());
  metadata.insert("number", 0.5);
  metadata.insert("boolean", true);
  metadata.insert("text", std::string("line\nbreak"));
  metadata.insert("integers", std::vector<std::int64_t>{1, 2});
  metadata.insert("empty", std::vector<double>{});
  return metadata;
}

TEST(Metadata, KeepsTheFirstOfTwoKeys) {
  Metadata metadata;
  EXPECT_TRUE(metadata.insert("a", true));
  EXPECT_FALSE(metadata.insert("a", false));
  EXPECT_EQ(metadata.boolean("a"), true);
}

TEST(Metadata, ConvertsIntegersWhereTheyFitAndNothingElse) {
  const Metadata metadata = example();
  EXPECT_EQ(metadata.number("integer"), -3.0);
  EXPECT_EQ(metadata.number("large"), 18446744073709551615.0);
  expect_error(ErrorKind::corrupt, {"model.gguf", "\"large\"", "18446744073709551615", "2^63"},
               [&] { metadata.integer("large"); });
  expect_error(ErrorKind::corrupt, {"\"number\" is the number 0.5, expected an integer"},
               [&] { metadata.integer("number"); });
  expect_error(ErrorKind::corrupt, {"\"boolean\"", "expected a number"},
               [&] { metadata.number("boolean"); });
  expect_error(ErrorKind::corrupt, {"\"integer\"", "true or false"},
               [&] { metadata.boolean("integer"); });
  expect_error(ErrorKind::corrupt, {"\"integers\" is the list of integers [1, 2], expected a text"},
               [&] { metadata.text("integers"); });
  expect_error(ErrorKind::corrupt, {"line\\x0abreak", "list of texts"},
               [&] { metadata.texts("text"); });
  expect_error(ErrorKind::corrupt, {"list of booleans"}, [&] { metadata.booleans("integers"); });
  expect_error(ErrorKind::corrupt, {"list of numbers"}, [&] { metadata.numbers("integers"); });
  expect_error(ErrorKind::corrupt, {"list of integers"}, [&] { metadata.integers("integer"); });
}

TEST(Metadata, AbsentIsNoError) {
  const Metadata metadata = example();
  EXPECT_EQ(metadata.integer("none"), std::nullopt);
  EXPECT_EQ(metadata.number("none"), std::nullopt);
  EXPECT_EQ(metadata.boolean("none"), std::nullopt);
  EXPECT_EQ(metadata.text("none"), std::nullopt);
  EXPECT_EQ(metadata.texts("none"), nullptr);
  EXPECT_EQ(metadata.integers("none"), nullptr);
  EXPECT_EQ(metadata.numbers("none"), nullptr);
  EXPECT_EQ(metadata.booleans("none"), nullptr);
}

TEST(Metadata, AnEmptyListIsAnEmptyListOfAnything) {
  const Metadata metadata = example();
  EXPECT_TRUE(metadata.texts("empty")->empty());
  EXPECT_TRUE(metadata.integers("empty")->empty());
  EXPECT_TRUE(metadata.booleans("empty")->empty());
}

TEST(Metadata, ShowsValuesOnOneLineAndCutsThem) {
  EXPECT_EQ(to_text(std::string("a\tb")), "\"a\\x09b\"");
  EXPECT_EQ(to_text(std::vector<bool>{true, false}), "[true, false]");
  EXPECT_EQ(to_text(std::vector<std::int64_t>(1000, 7)),
            "[7, 7, 7, 7, 7, 7, 7, 7, ... 1000 in all]");
  EXPECT_LT(to_text(std::string(100000, 'x')).size(), 100U);
}

}  // namespace
}  // namespace cairn::checkpoint
