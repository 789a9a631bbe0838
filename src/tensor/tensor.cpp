#include "tensor/tensor.h"

#include <sys/mman.h>

#include <cstdlib>
#include <cstring>

#include "base/error.h"

namespace cairn::tensor {
namespace {

constexpr std::size_t kAlignment = 64;  // one cache line, one AVX-512 register
/// From here on memory is mapped: it comes zeroed and costs nothing until it is touched.
constexpr std::size_t kMappedFromBytes = std::size_t{1} << 20;

std::byte* allocate_zeroed(std::size_t size_bytes) {
  if (size_bytes >= kMappedFromBytes) {
    void* memory =
        ::mmap(nullptr, size_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return nullptr;
    // Weights are streamed: large pages save faults while loading and address lookups after. No
    // matter if the system declines.
    ::madvise(memory, size_bytes, MADV_HUGEPAGE);
    return static_cast<std::byte*>(memory);
  }
  const std::size_t padded = (size_bytes + kAlignment - 1) / kAlignment * kAlignment;
  void* memory = std::aligned_alloc(kAlignment, padded);
  if (memory != nullptr) std::memset(memory, 0, padded);
  return static_cast<std::byte*>(memory);
}

}  // namespace

Buffer::Buffer(std::size_t size_bytes) {
  if (size_bytes == 0) return;
  memory_ = std::unique_ptr<std::byte, Free>(allocate_zeroed(size_bytes), Free{size_bytes});
  if (!memory_) {
    fail(ErrorKind::out_of_memory, "cannot allocate {} bytes; use a smaller context or model",
         size_bytes);
  }
}

void Buffer::use_small_pages() const {
  if (size_bytes() >= kMappedFromBytes) ::madvise(data(), size_bytes(), MADV_NOHUGEPAGE);
}

void Buffer::use_large_pages() const {
  if (size_bytes() < kMappedFromBytes) return;
  ::madvise(data(), size_bytes(), MADV_HUGEPAGE);
#ifdef MADV_COLLAPSE
  ::madvise(data(), size_bytes(), MADV_COLLAPSE);  // what is there already, too
#endif
}

void Buffer::Free::operator()(std::byte* memory) const {
  if (size_bytes >= kMappedFromBytes) {
    ::munmap(memory, size_bytes);
  } else {
    std::free(memory);
  }
}

void decode_to_floats(const ConstTensor& source, std::span<float> floats) {
  const Format& format = format_of(source.dtype);
  const auto elements = static_cast<std::size_t>(source.shape.elements());
  CHECK(floats.size() == elements, "{} floats for {} values", floats.size(), elements);
  CHECK(source.columns() % format.values_per_block == 0, "{} columns of {}", source.columns(),
        format.name);
  CHECK(source.data != nullptr || elements == 0, "a tensor without data");
  format.decode(source.data, floats.data(), elements / format.values_per_block);
}

}  // namespace cairn::tensor
