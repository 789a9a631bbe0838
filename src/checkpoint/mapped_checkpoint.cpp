#include "checkpoint/mapped_checkpoint.h"

#include <functional>
#include <utility>

namespace cairn::checkpoint {
namespace {

bool contains(std::span<const std::byte> whole, std::span<const std::byte> part) {
  const std::less_equal<> not_after;
  return not_after(whole.data(), part.data()) &&
         not_after(part.data() + part.size(), whole.data() + whole.size());
}

}  // namespace

MappedCheckpoint::MappedCheckpoint(Content content) : content_(std::move(content)) {
  by_name_.reserve(content_.tensors.size());
  for (const NamedTensor& tensor : content_.tensors) by_name_.emplace(tensor.name, &tensor);
}

const NamedTensor* MappedCheckpoint::find(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : found->second;
}

void MappedCheckpoint::release(std::span<const std::byte> bytes) const {
  for (const base::MappedFile& file : content_.files) {
    if (contains(file.bytes(), bytes)) file.release(bytes);
  }
}

}  // namespace cairn::checkpoint
