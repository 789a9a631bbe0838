// Any bytes as config.json: read_json_fields gives fields, or throws Error; so do the lookups.

#include <cstdint>
#include <string>
#include <utility>

#include "base/check.h"
#include "base/error.h"
#include "checkpoint/hyperparameters.h"
#include "checkpoint/json_fields.h"
#include "checkpoint/mapped_checkpoint.h"

namespace cairn::checkpoint {
namespace {

void parse(std::span<const std::byte> bytes) {
  MappedCheckpoint::Content content;
  content.origin = Origin::hugging_face;
  content.metadata = Metadata("fuzzed");
  read_json_fields(bytes, "fuzzed", "", content.metadata);
  for (const auto& [key, value] : content.metadata.values()) CHECK(!to_text(value).empty());
  const MappedCheckpoint checkpoint(std::move(content));
  const Hyperparameters hyperparameters(checkpoint);
  hyperparameters.texts("layer_types");
  hyperparameters.number("rope.freq_base");
  hyperparameters.require_per_layer("attention.head_count_kv", 4, 1, 64);
  hyperparameters.require_integer("embedding_length", 1, 1 << 20);
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
