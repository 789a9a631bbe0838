// The functions every template can call.
#include <ctime>

#include "text/jinja/access.h"
#include "text/jinja/builtin.h"
#include "text/jinja/conversion.h"
#include "text/jinja/evaluator.h"
#include "text/jinja/repr.h"

namespace cairn::text::jinja {
namespace {

Value global_range(Evaluator&, const Value&, Arguments& arguments) {
  const std::int64_t first = require_integer(arguments[0]);
  if (!arguments.has(1)) return make_object<Range>(std::int64_t{0}, first, std::int64_t{1});
  const std::int64_t step = arguments.has(2) ? require_integer(arguments[2]) : 1;
  return make_object<Range>(first, require_integer(arguments[1]), step);
}

/// dict(mapping or pairs, **more)
Value global_dict(Evaluator& evaluator, const Value&, Arguments& arguments) {
  DictBuilder dict;
  if (arguments.positional.size() > 1) {
    refuse("dict expected at most 1 argument, got {}", arguments.positional.size());
  }
  if (!arguments.positional.empty()) {
    const Value& source = arguments[0];
    if (source.dict()) {
      evaluator.budget().charge(source.dict()->entries().size());
      for (const auto& [key, value] : source.dict()->entries()) dict.set(key, value);
    } else {
      for (const Value& pair : evaluator.items(source)) {
        std::vector<Value> parts = evaluator.items(pair);
        if (parts.size() != 2) refuse("a dict is made of pairs, not of {} values", parts.size());
        dict.set(std::move(parts[0]), std::move(parts[1]));
      }
    }
  }
  for (auto& [name, value] : arguments.keywords) dict.set(name, std::move(value));
  return dict.finish();
}

Value global_namespace(Evaluator& evaluator, const Value& self, Arguments& arguments) {
  const Value dict = global_dict(evaluator, self, arguments);
  const std::shared_ptr<Namespace> space = evaluator.make_namespace();
  for (const auto& [key, value] : dict.dict()->entries()) {
    evaluator.budget().charge(space->attributes().size());
    space->set(to_text(key), value);
  }
  return std::shared_ptr<Object>(space);
}

Value global_cycler(Evaluator&, const Value&, Arguments& arguments) {
  return make_object<Cycler>(std::move(arguments.positional));
}

Value global_joiner(Evaluator&, const Value&, Arguments& arguments) {
  return make_object<Joiner>(text_or(arguments, 0, ", "));
}

Value global_raise_exception(Evaluator&, const Value&, Arguments& arguments) {
  refuse("{}", to_text(arguments[0]).bytes());
}

Value global_strftime_now(Evaluator& evaluator, const Value&, Arguments& arguments) {
  constexpr std::size_t kMaxBytes = 4096;
  const std::string format(require_text(arguments[0]).bytes());
  if (format.empty()) return Text();
  if (format.size() > kMaxBytes / 16) refuse("the time format is too long");
  if (format.find('\0') != std::string::npos) refuse("the time format holds a null character");
  const std::tm now = evaluator.now();
  std::string buffer(kMaxBytes, '\0');
  buffer.resize(std::strftime(buffer.data(), buffer.size(), format.c_str(), &now));
  return Value::own(buffer);
}

Value global_lipsum(Evaluator&, const Value&, Arguments&) {
  refuse("lipsum is not supported: a prompt holds no random text");
}

constexpr Builtin kGlobals[] = {
    {"range", "_ _ _", 1, global_range},
    {"dict", "* **", 0, global_dict},
    {"namespace", "* **", 0, global_namespace},
    {"cycler", "*", 0, global_cycler},
    {"joiner", "sep", 0, global_joiner},
    {"raise_exception", "message", 1, global_raise_exception},
    {"strftime_now", "format", 1, global_strftime_now},
    {"lipsum", "* **", 0, global_lipsum},
};

}  // namespace

BuiltinTable global_functions() {
  return kGlobals;
}

}  // namespace cairn::text::jinja
