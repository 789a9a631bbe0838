#include "tensor/tensor.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "base/error.h"

namespace cairn::tensor {
namespace {

constexpr std::size_t kAlignment = 64;  // one cache line, one AVX-512 register
/// From here on memory is mapped: it comes zeroed and costs nothing until it is touched.
constexpr std::size_t kMappedFromBytes = std::size_t{1} << 20;
constexpr std::size_t kLargePageBytes = std::size_t{1} << 21;
/// What lies before the first large page. A large page is cleared whole when it is first touched,
/// and the keys and values of many layers are used at their beginning alone for a while.
constexpr std::size_t kSmallPagesBytes = std::size_t{1} << 18;

/// Zeroed memory that begins kSmallPagesBytes before a large page; null where there is none.
std::byte* map_zeroed(std::size_t size_bytes) {
  if (size_bytes > std::numeric_limits<std::size_t>::max() - 2 * kLargePageBytes) return nullptr;
  const auto page_bytes = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const std::size_t reserved_bytes = size_bytes + kLargePageBytes;
  void* const reserved =
      ::mmap(nullptr, reserved_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (reserved == MAP_FAILED) return nullptr;
  auto* const first = static_cast<std::byte*>(reserved);
  const auto misplaced =
      (reinterpret_cast<std::uintptr_t>(first) + kSmallPagesBytes) % kLargePageBytes;
  const std::size_t before_bytes = kLargePageBytes - misplaced;
  const std::size_t mapped_bytes = (size_bytes + page_bytes - 1) / page_bytes * page_bytes;
  std::byte* const memory = first + before_bytes;
  ::munmap(first, before_bytes);
  if (before_bytes + mapped_bytes < reserved_bytes)
    ::munmap(memory + mapped_bytes, reserved_bytes - before_bytes - mapped_bytes);
  // Weights are streamed: large pages save faults while loading and address lookups after. No
  // matter if the system declines.
  ::madvise(memory + kSmallPagesBytes, size_bytes - kSmallPagesBytes, MADV_HUGEPAGE);
  return memory;
}

std::byte* allocate_zeroed(std::size_t size_bytes) {
  if (size_bytes >= kMappedFromBytes) return map_zeroed(size_bytes);
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
