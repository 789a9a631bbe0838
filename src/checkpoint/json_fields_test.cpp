#include "checkpoint/json_fields.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "checkpoint/test_files.h"

namespace cairn::checkpoint {
namespace {

using ::testing::ElementsAre;

Metadata read(const std::string& json, std::string_view prefix = "") {
  Metadata metadata("config.json");
  read_json_fields(bytes_of(json), "config.json", prefix, metadata);
  return metadata;
}

void expect_refused(const std::vector<std::string>& parts, const std::string& json) {
  std::vector<std::string> all = parts;
  all.emplace_back("config.json");
  expect_error(ErrorKind::corrupt, all, [&] { read(json); });
}

TEST(JsonFields, FlattensObjectsWithDots) {
  const Metadata fields = read(R"({"a": 1, "b": {"c": -2, "d": {"e": 0.5}, "f": "x"}, "g": true})");
  EXPECT_EQ(fields.values().size(), 5U);
  EXPECT_EQ(fields.integer("a"), 1);
  EXPECT_EQ(fields.integer("b.c"), -2);
  EXPECT_EQ(fields.number("b.d.e"), 0.5);
  EXPECT_EQ(fields.text("b.f"), "x");
  EXPECT_EQ(fields.boolean("g"), true);
}

TEST(JsonFields, PutsAPrefixBeforeEveryKey) {
  const Metadata fields = read(R"({"a": 1, "b": {"c": 2}})", "generation_config.");
  EXPECT_EQ(fields.integer("generation_config.a"), 1);
  EXPECT_EQ(fields.integer("generation_config.b.c"), 2);
}

TEST(JsonFields, KeepsListsOfOneKind) {
  const Metadata fields =
      read(R"({"i": [1, -2], "n": [1, 0.5], "b": [true], "t": ["x", "y"], "e": []})");
  EXPECT_THAT(*fields.integers("i"), ElementsAre(1, -2));
  EXPECT_THAT(*fields.numbers("n"), ElementsAre(1.0, 0.5));
  EXPECT_THAT(*fields.booleans("b"), ElementsAre(true));
  EXPECT_THAT(*fields.texts("t"), ElementsAre("x", "y"));
  EXPECT_TRUE(fields.texts("e")->empty());
}

TEST(JsonFields, NumbersTheItemsOfOtherLists) {
  const Metadata fields = read(R"({"m": [1, null, "x", {"a": 2}, [3, 4]], "after": 5})");
  EXPECT_EQ(fields.integer("m.0"), 1);
  EXPECT_EQ(fields.find("m.1"), nullptr);
  EXPECT_EQ(fields.text("m.2"), "x");
  EXPECT_EQ(fields.integer("m.3.a"), 2);
  EXPECT_THAT(*fields.integers("m.4"), ElementsAre(3, 4));
  EXPECT_EQ(fields.integer("after"), 5);
}

TEST(JsonFields, NullIsAbsent) {
  EXPECT_EQ(read(R"({"a": null})").find("a"), nullptr);
}

TEST(JsonFields, ReadsTransformersInfinities) {
  const Metadata fields =
      read(R"({"limit": [0.0, {"__float__": "Infinity"}], "low": {"__float__": "-Infinity"}})");
  EXPECT_THAT(*fields.numbers("limit"), ElementsAre(0.0, HUGE_VAL));
  EXPECT_EQ(fields.number("low"), -HUGE_VAL);
}

TEST(JsonFields, RefusesWhatIsNoObject) {
  expect_refused({"no valid JSON at byte"}, "");
  expect_refused({"no valid JSON at byte"}, "{");
  expect_refused({"no valid JSON at byte 8"}, R"({"a": 1)");
  expect_refused({"no valid JSON"}, R"({"a": 1} x)");
  expect_refused({"no valid JSON"}, R"({"a": NaN})");
  expect_refused({"no valid JSON"}, R"({"a": 1e999})");
  expect_refused({"no valid JSON"}, "{\"a\": \"\xFF\"}");
  expect_refused({"expected an object"}, "[1]");
  expect_refused({"expected an object"}, "\"text\"");
}

TEST(JsonFields, RefusesDoubleKeysEvenWhenFlatteningMakesThem) {
  expect_refused({"\"a\" occurs twice"}, R"({"a": 1, "a": 2})");
  expect_refused({"\"a.b\" occurs twice"}, R"({"a": {"b": 1}, "a.b": 2})");
}

TEST(JsonFields, RefusesDeepNesting) {
  const std::size_t million = 1'000'000;
  std::string objects;
  for (std::size_t i = 0; i < million; ++i) objects += "{\"a\":";
  expect_refused({"deeper than 32"}, objects);
  expect_refused({"deeper than 32"}, "{\"a\":" + std::string(million, '['));
}

TEST(JsonFields, BoundsWhatLongNamesCost) {
  expect_refused({"longer than 1024"}, "{\"" + std::string(1025, 'k') + "\": 1}");
  std::string many = "{\"" + std::string(1000, 'k') + "\": {\"0\": 1";
  for (int i = 1; i < 200'000; ++i) many += ",\"" + std::to_string(i) + "\":1";
  expect_refused({"bytes of names"}, many + "}}");
}

}  // namespace
}  // namespace cairn::checkpoint
