// F32: IEEE 754 binary32, little-endian.

#include <cstring>

#include "tensor/format.h"

namespace cairn::tensor::formats {

extern const Format f32;
const Format f32 = {
    .dtype = DType::f32,
    .name = "f32",
    .values_per_block = 1,
    .bytes_per_block = sizeof(float),
    .decode = [](const std::byte* blocks, float* values,
                 std::size_t count) { std::memcpy(values, blocks, count * sizeof(float)); },
    .encode = [](const float* values, std::byte* blocks,
                 std::size_t count) { std::memcpy(blocks, values, count * sizeof(float)); },
};

}  // namespace cairn::tensor::formats
