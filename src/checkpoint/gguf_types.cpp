#include "checkpoint/gguf_types.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "tensor/format.h"

namespace cairn::checkpoint {
namespace {

struct ForeignType {
  std::uint32_t id;
  std::string_view name;
};

constexpr auto kRemovedTypes = std::to_array<ForeignType>({
    {4, "Q4_2"},
    {5, "Q4_3"},
    {31, "Q4_0_4_4"},
    {32, "Q4_0_4_8"},
    {33, "Q4_0_8_8"},
    {37, "IQ4_NL_4_8"},
    {38, "IQ4_NL_8_8"},
});

// Of the fork ik_llama.cpp. Some carry a header for each row, so their size does not follow from
// blocks.
constexpr auto kForkTypes = std::to_array<ForeignType>({
    {36, "I2_S"},     {97, "Q8_0_X4"}, {98, "Q8_1_X4"}, {99, "Q8_2_X4"}, {133, "Q6_0"},
    {134, "IQ1_BN"},  {135, "IQ2_BN"}, {136, "Q8_K64"}, {137, "IQ2_K"},  {138, "IQ3_K"},
    {139, "IQ4_K"},   {140, "IQ5_K"},  {141, "IQ6_K"},  {144, "IQ4_KS"}, {145, "IQ2_KS"},
    {146, "IQ4_KSS"}, {147, "Q8_K16"}, {148, "Q8_K32"}, {149, "Q8_KR8"}, {150, "Q8_K128"},
    {151, "Q8_KV"},   {152, "IQ5_KS"}, {153, "IQ2_KT"}, {154, "IQ3_KT"}, {155, "IQ4_KT"},
    {156, "IQ3_KS"},  {157, "IQ2_KL"}, {158, "IQ1_KT"},
});
constexpr std::uint32_t kFirstInterleavedForkType = 202;
constexpr std::uint32_t kLastInterleavedForkType = 399;

}  // namespace

std::string describe_unknown_gguf_type(std::uint32_t id) {
  const auto has_id = [id](const ForeignType& type) { return type.id == id; };
  if (const auto* type = std::ranges::find_if(kRemovedTypes, has_id); type != kRemovedTypes.end()) {
    return fmt::format("id {}, the type {} that ggml has removed", id, type->name);
  }
  if (const auto* type = std::ranges::find_if(kForkTypes, has_id); type != kForkTypes.end()) {
    return fmt::format("id {}, which is ik_llama.cpp's {}", id, type->name);
  }
  if (id >= kFirstInterleavedForkType && id <= kLastInterleavedForkType) {
    return fmt::format("id {}, one of ik_llama.cpp's interleaved types", id);
  }
  return fmt::format("id {}, which no known type has", id);
}

std::string supported_formats() {
  std::vector<std::string_view> names;
  for (const tensor::Format& format : tensor::all_formats()) names.push_back(format.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace cairn::checkpoint
