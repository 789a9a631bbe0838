// Any bytes as a template: they parse or are refused, within the stack and without a fault.

#include <cstdint>
#include <string_view>

#include "base/error.h"
#include "text/jinja/template.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view source(reinterpret_cast<const char*>(data), size);
  try {
    const cairn::text::jinja::Template parsed(source);
  } catch (const cairn::Error&) {
    // Refused, which is an answer.
  }
  return 0;
}
