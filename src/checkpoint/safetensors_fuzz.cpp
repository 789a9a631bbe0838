// Any bytes: parse_safetensors gives tensors inside them, or throws Error.

#include <cstdint>
#include <string>

#include "base/check.h"
#include "base/error.h"
#include "checkpoint/safetensors.h"

namespace cairn::checkpoint {
namespace {

void parse(std::span<const std::byte> bytes) {
  for (const NamedTensor& tensor : parse_safetensors(bytes, "fuzzed")) {
    CHECK(tensor.bytes.data() >= bytes.data());
    CHECK(tensor.bytes.data() + tensor.bytes.size() <= bytes.data() + bytes.size());
    if (tensor.usable()) CHECK(tensor.view.size_bytes() == tensor.bytes.size());
  }
}

}  // namespace
}  // namespace cairn::checkpoint

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    cairn::checkpoint::parse(std::as_bytes(std::span(data, size)));
  } catch (const cairn::Error& error) {
    CHECK(error.message().find('\n') == std::string::npos, "{}", error.message());
  }
  return 0;
}
