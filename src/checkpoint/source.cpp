#include "checkpoint/source.h"

#include <algorithm>
#include <array>
#include <set>
#include <unordered_set>
#include <utility>

#include "base/error.h"
#include "checkpoint/printable.h"
#include "checkpoint/tensor_extent.h"

namespace cairn::checkpoint {
namespace {

constexpr std::size_t kShownNames = 5;

// Buffers that can be computed, and the parts of a model that see or hear.
constexpr auto kNeedlessEndings = std::to_array<std::string_view>({
    ".rotary_emb.inv_freq",
    ".self_attn.masked_bias",
});
constexpr auto kNeedlessBeginnings = std::to_array<std::string_view>({
    "vision_tower.",
    "vision_model.",
    "visual.",
    "multi_modal_projector.",
    "model.vision_tower.",
    "model.vision_model.",
    "model.visual.",
    "model.multi_modal_projector.",
    "audio_tower.",
    "model.audio_tower.",
});

bool is_needless(std::string_view name) {
  return std::ranges::any_of(kNeedlessEndings, [&](auto end) { return name.ends_with(end); }) ||
         std::ranges::any_of(kNeedlessBeginnings,
                             [&](auto begin) { return name.starts_with(begin); });
}

std::vector<std::int64_t> sizes_of(const Shape& shape) {
  std::vector<std::int64_t> sizes;
  sizes.reserve(static_cast<std::size_t>(shape.rank()));
  for (int axis = 0; axis < shape.rank(); ++axis) sizes.push_back(shape[axis]);
  return sizes;
}

std::string shape_text(const Shape& shape) {
  std::string text = "[";
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (axis > 0) text += ", ";
    text += shape[axis] == kAnySize ? std::string("any") : std::to_string(shape[axis]);
  }
  return text + "]";
}

// `found` in the rank of `expected`, if the sizes agree.
std::optional<Shape> fit(const Shape& found, const Shape& expected) {
  std::vector<std::int64_t> have = sizes_of(found);
  const std::vector<std::int64_t> want = sizes_of(expected);
  while (have.size() > want.size() && have.front() == 1) have.erase(have.begin());
  have.insert(have.begin(), want.size() - std::min(want.size(), have.size()), 1);
  const bool equal = std::ranges::equal(have, want, [](std::int64_t size, std::int64_t expect) {
    return expect == kAnySize ? size > 0 : size == expect;
  });
  return equal ? std::optional<Shape>(make_shape(have)) : std::nullopt;
}

std::string quoted(std::string_view asked, std::string_view in_file) {
  std::string text = '"' + printable(asked) + '"';
  if (asked != in_file) text += fmt::format(" (\"{}\")", printable(in_file));
  return text;
}

}  // namespace

struct WeightSource::State {
  const Checkpoint& checkpoint;
  std::span<const NamePair> overrides;
  std::unordered_set<const NamedTensor*> used;
  std::set<std::string> missing;

  /// The names to look for, likeliest first.
  std::vector<std::string> names_in_file(const std::string& name) const {
    if (checkpoint.origin() == Origin::gguf) return {name};
    return hugging_face_names(name, overrides);
  }
};

WeightSource::WeightSource(const Checkpoint& checkpoint, std::span<const NamePair> overrides)
    : state_(std::make_shared<State>(State{checkpoint, overrides, {}, {}})) {}

WeightSource::WeightSource(std::shared_ptr<State> state, std::string prefix)
    : state_(std::move(state)), prefix_(std::move(prefix)) {}

WeightSource WeightSource::scope(std::string_view name) const {
  return WeightSource(state_, fmt::format("{}{}.", prefix_, name));
}

const Checkpoint& WeightSource::checkpoint() const {
  return state_->checkpoint;
}

const NamedTensor* WeightSource::find(const std::string& name) const {
  for (const std::string& candidate : state_->names_in_file(name)) {
    if (const NamedTensor* found = state_->checkpoint.find(candidate)) return found;
  }
  return nullptr;
}

bool WeightSource::has(std::string_view name) const {
  return find(prefix_ + std::string(name)) != nullptr;
}

std::optional<ConstTensor> WeightSource::optional_tensor(std::string_view name,
                                                         const Shape& expected) const {
  const std::string full_name = prefix_ + std::string(name);
  const NamedTensor* found = find(full_name);
  if (found == nullptr) {
    state_->missing.insert(full_name);
    return std::nullopt;
  }
  state_->used.insert(found);
  const std::string file = state_->checkpoint.path().string();
  if (!found->usable()) {
    fail(ErrorKind::unsupported, "{}: tensor {} {}", file, quoted(full_name, found->name),
         found->problem);
  }
  const auto shape = fit(found->view.shape, expected);
  if (!shape) {
    fail(ErrorKind::corrupt, "{}: tensor {} has the shape {}, expected {}", file,
         quoted(full_name, found->name), shape_text(found->view.shape), shape_text(expected));
  }
  return ConstTensor{found->view.dtype, *shape, found->view.data};
}

ConstTensor WeightSource::tensor(std::string_view name, const Shape& expected) const {
  if (auto found = optional_tensor(name, expected)) return *found;
  const std::string full_name = prefix_ + std::string(name);
  const std::vector<std::string> names = state_->names_in_file(full_name);
  fail(ErrorKind::corrupt, "{}: tensor {} is missing; the model is incomplete or of another kind",
       state_->checkpoint.path().string(),
       quoted(full_name, names.empty() ? full_name : names.front()));
}

void WeightSource::release(const ConstTensor& tensor) const {
  state_->checkpoint.release(tensor.bytes());
}

WeightSource::Report WeightSource::report() const {
  Report report;
  report.missing.assign(state_->missing.begin(), state_->missing.end());
  for (const NamedTensor& tensor : state_->checkpoint.tensors()) {
    if (!state_->used.contains(&tensor) && !is_needless(tensor.name)) {
      report.unused.push_back(tensor.name);
    }
  }
  return report;
}

void WeightSource::require_all_used(std::span<const std::string_view> ignorable) const {
  std::vector<std::string> unused = report().unused;
  std::erase_if(unused, [&](const std::string& name) {
    return std::ranges::any_of(ignorable, [&](auto begin) { return name.starts_with(begin); });
  });
  if (unused.empty()) return;
  std::string names;
  for (std::size_t i = 0; i < std::min(unused.size(), kShownNames); ++i) {
    names += fmt::format("{}\"{}\"", i > 0 ? ", " : "", printable(unused[i]));
  }
  if (unused.size() > kShownNames) names += ", ...";
  fail(ErrorKind::unsupported,
       "{}: {} tensors are not used by this kind of model, which would compute wrong numbers: {}",
       state_->checkpoint.path().string(), unused.size(), names);
}

}  // namespace cairn::checkpoint
