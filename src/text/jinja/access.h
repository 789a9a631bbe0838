#pragma once
// value.name, value[index], value[start:stop:step] as Jinja2's sandbox has them: what is missing or
// forbidden gives an undefined value, only an undefined subject is refused.

#include "text/jinja/value.h"

namespace cairn::text::jinja {

/// Methods come before the keys of a dict: `d.items` is the method.
Value attribute_of(const Value& subject, const Text& name);
/// Keys come before methods: `d['items']` is the key.
Value item_of(const Value& subject, const Value& index);
/// Unset or None bounds are absent. Unlike the others, it refuses what cannot be sliced.
Value slice_of(const Value& subject, const Value& start, const Value& stop, const Value& step);

/// What `attribute='a.0.b'` of many filters means. What is missing on the way becomes `otherwise`,
/// where that is given and not None.
Value attribute_path(const Value& subject, const Value& path, const Value& otherwise = {});

/// Refuses to go on with an undefined value.
void require_defined(const Value& value);

}  // namespace cairn::text::jinja
