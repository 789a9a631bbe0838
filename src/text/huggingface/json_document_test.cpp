#include "text/huggingface/json_document.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace cairn::text::huggingface {
namespace {

TEST(JsonDocumentTest, FieldsKnowTheirPath) {
  const JsonDocument document(R"({"a":{"b":[1,{"c":"x"}]},"d":[[],[true]]})", "file");
  const Field b = document.root().at("a").at("b");
  auto item = b.items().begin();
  ++item;
  EXPECT_EQ((*item).at("c").path(), "a.b[1].c");
  EXPECT_EQ((*item).at("c").text(), "x");
  auto list = document.root().at("d").items().begin();
  ++list;
  EXPECT_EQ((*(*list).items().begin()).path(), "d[1][0]");
  EXPECT_EQ(b.size(), 2U);
}

TEST(JsonDocumentTest, NullIsAbsentAndTheLastOfEqualNamesCounts) {
  const JsonDocument document(R"({"a":null,"b":1,"b":2})", "file");
  EXPECT_FALSE(document.root().find("a"));
  EXPECT_EQ(document.root().at("b").count(10), 2U);
  EXPECT_TRUE(document.root().boolean("c", true));
}

TEST(JsonDocumentTest, MessagesHaveOneLine) {
  const JsonDocument document("{\"a\\n\":\"b\\nc\",\"n\":-1,\"f\":1.5}", "file");
  const auto message_of = [&](const char* name) -> std::string {
    try {
      document.root().at(name).count(10);
    } catch (const Error& error) {
      return error.message();
    }
    return "no error";
  };
  EXPECT_EQ(message_of("a\n"),
            "file: a\\x0a: found \"b\\x0ac\", expected a whole number of 0 to 10");
  EXPECT_EQ(message_of("n"), "file: n: found -1, expected a whole number of 0 to 10");
  EXPECT_EQ(message_of("f"), "file: f: found 1.5, expected a whole number of 0 to 10");
}

TEST(JsonDocumentTest, PrintableCutsBetweenCharacters) {
  EXPECT_EQ(printable("aé", 2), "a...");
  EXPECT_EQ(printable("aé", 3), "aé");
}

}  // namespace
}  // namespace cairn::text::huggingface
