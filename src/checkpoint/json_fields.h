#pragma once
// A JSON document flattened into metadata: {"a": {"b": 1}} becomes "a.b" = 1. A list of scalars of
// one kind becomes a list; any other list becomes "a.0", "a.1", ... null is absent. A document is
// read in one pass without recursion; nesting and size are limited.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "checkpoint/metadata.h"

namespace cairn::checkpoint {

/// Adds the document's fields to `metadata`, each key after `prefix`. `file` names it in messages.
/// Throws corrupt. Thread-safe.
void read_json_fields(std::span<const std::byte> document, const std::string& file,
                      std::string_view prefix, Metadata& metadata);

}  // namespace cairn::checkpoint
