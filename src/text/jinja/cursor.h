#pragma once
// Walks over what Python can iterate: sequences, the keys of a dict, the characters of a string,
// ranges, views, and iterators, which are used up by it.

#include <optional>

#include "text/jinja/value.h"

namespace cairn::text::jinja {

class Cursor {
 public:
  /// Refuses what cannot be iterated.
  explicit Cursor(Value iterable);

  static bool can_iterate(const Value& value);

  bool next(Value& item);
  /// len() of the whole; none for iterators.
  std::optional<std::size_t> length() const;

 private:
  Value iterable_;
  std::size_t position_ = 0;  // items taken; bytes of a string
};

/// len(); none where the kind has none.
std::optional<std::size_t> length_of(const Value& value);

}  // namespace cairn::text::jinja
