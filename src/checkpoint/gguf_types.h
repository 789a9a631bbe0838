#pragma once
// What is said of a GGUF tensor type that cannot be used here.

#include <cstdint>
#include <string>

namespace cairn::checkpoint {

/// For an id without a known size: who uses it, if that is known.
/// E.g. "id 139, which is ik_llama.cpp's IQ4_K".
std::string describe_unknown_gguf_type(std::uint32_t id);

/// "f32, f16, ..., mxfp4": what can be used instead.
std::string supported_formats();

}  // namespace cairn::checkpoint
