#pragma once
// The options that Metaspace has as a pre-tokenizer and as a decoder.

#include <cstdint>
#include <string>

#include "text/huggingface/json_document.h"

namespace cairn::text::huggingface {

/// Whether a text gets a mark in front: each stretch, the stretch that begins the source, none.
enum class PrependScheme : std::uint8_t { always, first, never };

struct Metaspace {
  std::string mark;  // what stands for the blank, one character: U+2581
  PrependScheme scheme = PrependScheme::always;
};

/// Throws corrupt with the path.
Metaspace read_metaspace(const Field& block);

}  // namespace cairn::text::huggingface
