#include "checkpoint/tensor_extent.h"

#include <algorithm>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "base/check.h"
#include "base/checked.h"
#include "base/error.h"
#include "checkpoint/printable.h"

namespace cairn::checkpoint {

std::optional<std::uint64_t> extent_bytes(std::span<const std::int64_t> dimensions,
                                          std::uint32_t values_per_block,
                                          std::uint32_t bytes_per_block) {
  std::int64_t elements = 1;
  for (const std::int64_t dimension : dimensions) {
    const auto product = base::checked_multiply(elements, dimension);
    if (!product) return std::nullopt;
    elements = *product;
  }
  const std::int64_t columns = dimensions.empty() ? 1 : dimensions.back();
  if (columns % values_per_block != 0) return std::nullopt;
  const auto bytes =
      base::checked_multiply<std::int64_t>(elements / values_per_block, bytes_per_block);
  if (!bytes) return std::nullopt;
  return static_cast<std::uint64_t>(*bytes);
}

Shape make_shape(std::span<const std::int64_t> dimensions) {
  switch (dimensions.size()) {
    case 0:
      return {};
    case 1:
      return {dimensions[0]};
    case 2:
      return {dimensions[0], dimensions[1]};
    case 3:
      return {dimensions[0], dimensions[1], dimensions[2]};
    default:
      CHECK(dimensions.size() == 4, "rank {}", dimensions.size());
      return {dimensions[0], dimensions[1], dimensions[2], dimensions[3]};
  }
}

void refuse_overlaps(std::span<const NamedTensor> tensors, const std::string& file) {
  std::vector<const NamedTensor*> by_address;
  by_address.reserve(tensors.size());
  for (const NamedTensor& tensor : tensors) {
    if (!tensor.bytes.empty()) by_address.push_back(&tensor);
  }
  std::ranges::sort(by_address, {}, [](const NamedTensor* t) { return t->bytes.data(); });
  for (std::size_t i = 1; i < by_address.size(); ++i) {
    const NamedTensor& left = *by_address[i - 1];
    const NamedTensor& right = *by_address[i];
    if (left.bytes.data() + left.bytes.size() > right.bytes.data()) {
      fail(ErrorKind::corrupt, "{}: tensors \"{}\" and \"{}\" share bytes; download the file again",
           file, printable(left.name), printable(right.name));
    }
  }
}

void refuse_duplicates(std::span<const NamedTensor> tensors, const std::string& file) {
  std::unordered_set<std::string_view> names;
  names.reserve(tensors.size());
  for (const NamedTensor& tensor : tensors) {
    if (!names.insert(tensor.name).second) {
      fail(ErrorKind::corrupt, "{}: two tensors are called \"{}\"", file, printable(tensor.name));
    }
  }
}

}  // namespace cairn::checkpoint
