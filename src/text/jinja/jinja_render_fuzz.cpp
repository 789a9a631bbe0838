// A template, then perhaps a null byte and the context as JSON: they render or are refused within
// the limits. Rendering twice gives the same text.

#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/error.h"
#include "text/jinja/json.h"
#include "text/jinja/template.h"

namespace {

using namespace cairn::text::jinja;

constexpr std::string_view kContext =
    R"({"messages": [{"role": "user", "content": "Hi é🙂\n"}, {"role": "assistant", "content": "",)"
    R"( "tool_calls": [{"function": {"name": "f", "arguments": {"a": [1, 2.5, null, true]}}}]}],)"
    R"( "x": 7, "s": "a-b c", "d": {"k": {"k": [[]]}}, "xs": [3, 1, 2], "bos_token": "<s>"})";

RenderOptions options() {
  RenderOptions result;
  result.now = std::tm{};
  result.limits.max_steps = 50'000;
  result.limits.max_output_bytes = 1 << 20;
  return result;
}

std::string outcome(const Template& parsed, const Value& context) {
  try {
    return std::string(parsed.render(context, options()).bytes());
  } catch (const cairn::Error& error) {
    return error.message();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::size_t border = std::min(input.find('\0'), input.size());
  const std::string_view json = border < input.size() ? input.substr(border + 1) : kContext;
  try {
    const Value context = parse_json(json);
    const Template parsed(input.substr(0, border));
    const std::string first = outcome(parsed, context);
    const std::string second = outcome(parsed, context);
    CHECK(first == second, "{} and {}", first, second);
  } catch (const cairn::Error&) {
    // No template.
  } catch (const Failure&) {
    // No context.
  }
  return 0;
}
