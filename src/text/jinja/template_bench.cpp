// What a prompt costs before its first token: parsing a template once, then rendering a
// conversation of 50 messages with 20 tools, from JSON text to prompt text.

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <string>

#include "text/jinja/json.h"
#include "text/jinja/template.h"

namespace cairn::text::jinja {
namespace {

constexpr std::string_view kSource = R"({%- if tools %}
    {{- '<|im_start|>system\n' }}
    {%- if messages[0].role == 'system' %}
        {{- messages[0].content + '\n\n' }}
    {%- endif %}
    {{- "# Tools\n\n<tools>" }}
    {%- for tool in tools %}
        {{- "\n" }}
        {{- tool | tojson }}
    {%- endfor %}
    {{- "\n</tools><|im_end|>\n" }}
{%- endif %}
{%- set ns = namespace(is_open=true, last=messages|length - 1) %}
{%- for message in messages[::-1] %}
    {%- set index = (messages|length - 1) - loop.index0 %}
    {%- if ns.is_open and message.role == "user" and message.content is string %}
        {%- set ns.is_open = false %}
        {%- set ns.last = index %}
    {%- endif %}
{%- endfor %}
{%- for message in messages %}
    {%- set content = message.content if message.content is string else '' %}
    {%- if message.role == "user" or (message.role == "system" and not loop.first) %}
        {{- '<|im_start|>' + message.role + '\n' + content + '<|im_end|>' + '\n' }}
    {%- elif message.role == "assistant" %}
        {%- set reasoning = '' %}
        {%- if '</think>' in content %}
            {%- set reasoning = content.split('</think>')[0].rstrip('\n').split('<think>')[-1] %}
            {%- set content = content.split('</think>')[-1].lstrip('\n') %}
        {%- endif %}
        {%- if loop.index0 > ns.last and reasoning %}
            {{- '<|im_start|>assistant\n<think>\n' + reasoning.strip('\n') + '\n</think>\n\n' }}
        {%- else %}
            {{- '<|im_start|>assistant\n' }}
        {%- endif %}
        {{- content.lstrip('\n') + '<|im_end|>\n' }}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|im_start|>assistant\n' }}
{%- endif %}
)";

std::string conversation() {
  std::string messages = R"({"role": "system", "content": "You are a helpful assistant."})";
  for (int i = 0; i < 49; ++i) {
    const std::string words(600, static_cast<char>('a' + i % 26));
    messages +=
        fmt::format(R"(, {{"role": "{}", "content": "<think>\nhm\n</think>\n\n{} é🙂"}})",
                    i % 2 == 0 ? "user" : "assistant", words);
  }
  std::string tools;
  for (int i = 0; i < 20; ++i) {
    tools += fmt::format(
        R"({}{{"type": "function", "function": {{"name": "tool_{}", "description": "Looks \"it\")"
        R"( up in a table and says what it found there.", "parameters": {{"type": "object",)"
        R"( "properties": {{"query": {{"type": "string", "description": "What to look for"}},)"
        R"( "limit": {{"type": "integer", "default": 10}}}}, "required": ["query"]}}}}}})",
        i == 0 ? "" : ", ", i);
  }
  return fmt::format(R"({{"messages": [{}], "tools": [{}], "add_generation_prompt": true}})",
                     messages, tools);
}

void parse(benchmark::State& state) {
  for (auto step : state) benchmark::DoNotOptimize(Template(kSource));
}
BENCHMARK(parse)->Unit(benchmark::kMicrosecond);

void render(benchmark::State& state) {
  const Template parsed(kSource);
  const Value context = parse_json(conversation());
  std::size_t bytes = 0;
  for (auto step : state) bytes = parsed.render(context).size();
  state.counters["prompt_bytes"] = static_cast<double>(bytes);
}
BENCHMARK(render)->Unit(benchmark::kMicrosecond);

void render_from_json(benchmark::State& state) {
  const Template parsed(kSource);
  const std::string json = conversation();
  for (auto step : state) benchmark::DoNotOptimize(parsed.render(parse_json(json)));
}
BENCHMARK(render_from_json)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace cairn::text::jinja
