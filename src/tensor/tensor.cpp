#include "tensor/tensor.h"

#include <cstdlib>
#include <cstring>

#include "base/error.h"

namespace cairn::tensor {
namespace {
constexpr std::size_t kAlignment = 64;  // one cache line, one AVX-512 register
}

Buffer::Buffer(std::size_t size_bytes) : size_bytes_(size_bytes) {
  if (size_bytes == 0) return;
  const std::size_t padded = (size_bytes + kAlignment - 1) / kAlignment * kAlignment;
  memory_.reset(static_cast<std::byte*>(std::aligned_alloc(kAlignment, padded)));
  if (!memory_) {
    fail(ErrorKind::out_of_memory, "cannot allocate {} bytes; use a smaller context or model",
         size_bytes);
  }
  std::memset(memory_.get(), 0, padded);
}

void Buffer::Free::operator()(std::byte* memory) const { std::free(memory); }

void decode_to_floats(const ConstTensor& source, std::span<float> floats) {
  const Format& format = format_of(source.dtype);
  const auto elements = static_cast<std::size_t>(source.shape.elements());
  CHECK(floats.size() == elements, "{} floats for {} values", floats.size(), elements);
  format.decode(source.data, floats.data(), elements / format.values_per_block);
}

}  // namespace cairn::tensor
