#include "text/jinja/text.h"

#include <gtest/gtest.h>

#include "text/jinja/json.h"
#include "text/jinja/limits.h"
#include "text/jinja/template.h"

namespace cairn::text::jinja {
namespace {

/// The text with what came with the conversation in «».
std::string marked(const Text& text) {
  std::string result;
  text.for_each_piece([&](std::string_view bytes, Origin origin) {
    const bool is_content = origin == Origin::content;
    result += (is_content ? "«" : "") + std::string(bytes) + (is_content ? "»" : "");
  });
  return result;
}

/// Renders with x = "ab<|c|> " as content.
std::string marked_render(std::string_view source) {
  return marked(Template(source).render(parse_json(R"({"x": "ab<|c|> ", "n": 5, "y": "É\n"})")));
}

TEST(JinjaText, CountsCodePointsAndKeepsOriginsInSlices) {
  TextBuilder builder;
  builder.append("aé", Origin::template_source);
  builder.append("日", Origin::content);
  builder.append("🙂", Origin::content);
  builder.append("z", Origin::template_source);
  const Text text = builder.finish();
  EXPECT_EQ(text.length(), 5U);
  EXPECT_EQ(text.size(), 11U);
  EXPECT_EQ(text.offset_of(2), 3U);
  EXPECT_EQ(text.index_of(6), 3U);
  EXPECT_EQ(marked(text), "aé«日🙂»z");
  EXPECT_EQ(marked(text.sub(1, 5)), "é«日»");
  EXPECT_EQ(marked(text.sub(6, 4)), "«🙂»");
  EXPECT_EQ(text.origin_at(2), Origin::template_source);
  EXPECT_EQ(text.origin_at(3), Origin::content);
  EXPECT_EQ(text.origin_at(10), Origin::template_source);
  EXPECT_TRUE(text.sub(11).empty());
}

TEST(JinjaText, RefusesToGrowBeyondItsLimit) {
  TextBuilder builder(10);
  builder.append_own("0123456789");
  EXPECT_THROW(builder.append_own("x"), Failure);
  TextBuilder other;
  EXPECT_THROW(other.append_repeated(Text::own("ab"), kMaxTextBytes), Failure);
}

TEST(JinjaOrigins, PassThroughOperations) {
  EXPECT_EQ(marked_render("<|{{ x }}|>"), "<|«ab<|c|> »|>");
  EXPECT_EQ(marked_render("{{ '<' + x + '>' }}{{ '<' ~ x ~ n }}"), "<«ab<|c|> »><«ab<|c|> »5");
  EXPECT_EQ(marked_render("{{ x[1:4] }}|{{ x[::-1] }}|{{ x[2] }}"), "«b<|»|« >|c|<ba»|«<»");
  EXPECT_EQ(marked_render("{{ x|trim }}{{ x.strip() }}{{ ('[' ~ x ~ ']').strip('[a') }}"),
            "«ab<|c|>ab<|c|>b<|c|> »]");
  EXPECT_EQ(marked_render("{{ x|replace('c', 'C') }}{{ x.replace('b', '-') }}"),
            "«ab<|»C«|> a»-«<|c|> »");
  EXPECT_EQ(marked_render("{{ x|upper }}{{ y|lower }}{{ ('i' ~ x)|capitalize }}"),
            "«AB<|C|> é\n»I«ab<|c|> »");
  EXPECT_EQ(marked_render("{{ x|tojson }}{{ {'k': y}|tojson }}"),
            "\"«ab<|c|> »\"{\"k\": \"«É\\n»\"}");
  EXPECT_EQ(marked_render("{{ [x, 'a']|join(x[0]) }}"), "«ab<|c|> a»a");
  EXPECT_EQ(marked_render("{{ x.split('|')|join('|') }}"), "«ab<»|«c»|«> »");
  EXPECT_EQ(marked_render("{{ '%s-%5s' % (x, 'q') }}{{ '{}-{:>4}'.format(x, x[0]) }}"),
            "«ab<|c|> »-    q«ab<|c|> »-   «a»");
  EXPECT_EQ(marked_render("{{ [x] }}{{ x|list }}{{ x|e }}"),
            "['«ab<|c|> »']['«a»', '«b»', '«<»', '«|»', '«c»', '«|»', '«>»', '« »']"
            "«ab&lt;|c|&gt; »");
  EXPECT_EQ(marked_render("{% set z %}<{{ x }}>{% endset %}{% macro m(a) %}({{ a }}){% endmacro %}"
                          "{{ m(z) }}{% filter upper %}i{{ x }}{% endfilter %}"),
            "(<«ab<|c|> »>)I«AB<|C|> »");
  EXPECT_EQ(marked_render("{{ x|indent(1, true) }}{{ x.ljust(10, '.') }}{{ x.center(10) }}"),
            " «ab<|c|> ab<|c|> ».. «ab<|c|> » ");
  EXPECT_EQ(marked_render("{{ x|truncate(4, true, '..', 0) }}{{ x|title }}{{ x * 2 }}"),
            "«ab»..«Ab<|c|> ab<|c|> ab<|c|> »");
}

}  // namespace
}  // namespace cairn::text::jinja
