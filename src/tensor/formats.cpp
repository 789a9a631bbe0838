// The table of number formats: a new one adds its declaration and its entry in kRecords, nothing
// else.

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

#include "base/check.h"
#include "tensor/format.h"

namespace cairn::tensor {

namespace formats {
extern const Format f32, f16, bf16;
extern const Format q4_0, q4_1, q5_0, q5_1, q8_0;
extern const Format q2_k, q3_k, q4_k, q5_k, q6_k;
extern const Format iq4_nl, iq4_xs, mxfp4;
}  // namespace formats

namespace {

constexpr std::array kRecords = {
    &formats::f32,  &formats::f16,    &formats::bf16,   &formats::q4_0,
    &formats::q4_1, &formats::q5_0,   &formats::q5_1,   &formats::q8_0,
    &formats::q2_k, &formats::q3_k,   &formats::q4_k,   &formats::q5_k,
    &formats::q6_k, &formats::iq4_nl, &formats::iq4_xs, &formats::mxfp4,
};

/// GGUF types that nothing here decodes.
constexpr GgufType kOnlyKnown[] = {
    {4, "q4_2", 16, 10, nullptr},        {5, "q4_3", 16, 12, nullptr},
    {9, "q8_1", 32, 36, nullptr},        {15, "q8_k", 256, 292, nullptr},
    {16, "iq2_xxs", 256, 66, nullptr},   {17, "iq2_xs", 256, 74, nullptr},
    {18, "iq3_xxs", 256, 98, nullptr},   {19, "iq1_s", 256, 50, nullptr},
    {21, "iq3_s", 256, 110, nullptr},    {22, "iq2_s", 256, 82, nullptr},
    {24, "i8", 1, 1, nullptr},           {25, "i16", 1, 2, nullptr},
    {26, "i32", 1, 4, nullptr},          {27, "i64", 1, 8, nullptr},
    {28, "f64", 1, 8, nullptr},          {29, "iq1_m", 256, 56, nullptr},
    {31, "q4_0_4_4", 32, 18, nullptr},   {32, "q4_0_4_8", 32, 18, nullptr},
    {33, "q4_0_8_8", 32, 18, nullptr},   {34, "tq1_0", 256, 54, nullptr},
    {35, "tq2_0", 256, 66, nullptr},     {36, "iq4_nl_4_4", 32, 18, nullptr},
    {37, "iq4_nl_4_8", 32, 18, nullptr}, {38, "iq4_nl_8_8", 32, 18, nullptr},
    {40, "nvfp4", 64, 36, nullptr},      {41, "q1_0", 128, 18, nullptr},
    {42, "q2_0", 64, 18, nullptr},
};

struct ForkType {
  std::uint32_t id;
  std::string_view name;
};
constexpr ForkType kIkTypes[] = {
    {97, "q8_0_x4"}, {98, "q8_1_x4"}, {99, "q8_2_x4"}, {133, "q6_0"},    {134, "iq1_bn"},
    {135, "iq2_bn"}, {136, "q8_k64"}, {137, "iq2_k"},  {138, "iq3_k"},   {139, "iq4_k"},
    {140, "iq5_k"},  {141, "iq6_k"},  {144, "iq4_ks"}, {145, "iq2_ks"},  {146, "iq4_kss"},
    {147, "q8_k16"}, {148, "q8_k32"}, {149, "q8_kr8"}, {150, "q8_k128"}, {151, "q8_kv"},
    {152, "iq5_ks"}, {153, "iq2_kt"}, {154, "iq3_kt"}, {155, "iq4_kt"},  {156, "iq3_ks"},
    {157, "iq2_kl"}, {158, "iq1_kt"},
};
constexpr std::uint32_t kIkInterleavedFirst = 202;
constexpr std::uint32_t kIkInterleavedLast = 399;

constexpr std::size_t kTypeCount = 43;  // ids below this have a meaning or had one

std::array<GgufType, kTypeCount> make_gguf_types() {
  std::array<GgufType, kTypeCount> types{};
  for (const GgufType& type : kOnlyKnown) types[type.id] = type;
  for (const Format& format : all_formats()) {
    const auto id = static_cast<std::uint32_t>(format.dtype);
    types[id] = {id, format.name, format.values_per_block, format.bytes_per_block, &format};
  }
  return types;
}

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
  return std::ranges::equal(a, b, {}, lower, lower);
}

}  // namespace

std::span<const Format> all_formats() {
  static const std::vector<Format> formats = [] {
    std::vector<Format> copies;
    copies.reserve(kRecords.size());
    for (const Format* record : kRecords) copies.push_back(*record);
    return copies;
  }();
  return formats;
}

const Format& format_of(DType dtype) {
  const GgufType* type = find_gguf_type(static_cast<std::uint32_t>(dtype));
  CHECK(type != nullptr && type->format != nullptr, "dtype {}", static_cast<int>(dtype));
  return *type->format;
}

const Format* find_format(std::string_view name) {
  const auto formats = all_formats();
  const auto found = std::ranges::find_if(
      formats, [name](const Format& format) { return equal_ignoring_case(format.name, name); });
  return found == formats.end() ? nullptr : &*found;
}

const GgufType* find_gguf_type(std::uint32_t id) {
  static const std::array<GgufType, kTypeCount> types = make_gguf_types();
  if (id >= types.size() || types[id].name.empty()) return nullptr;
  return &types[id];
}

std::string_view find_ik_llama_type(std::uint32_t id) {
  if (id >= kIkInterleavedFirst && id <= kIkInterleavedLast) return "row-interleaved";
  const auto found = std::ranges::find(kIkTypes, id, &ForkType::id);
  return found == std::end(kIkTypes) ? std::string_view{} : found->name;
}

}  // namespace cairn::tensor
