#pragma once
// Chat templates of the widespread formats, for models whose files bring none.

#include <span>
#include <string_view>

namespace cairn::text {

struct BuiltinTemplate {
  std::string_view name;
  std::string_view source;  // Jinja
};

/// chatml, llama2, llama3, gemma, mistral, phi3, deepseek.
std::span<const BuiltinTemplate> builtin_templates();

}  // namespace cairn::text
