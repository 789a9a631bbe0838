#pragma once
// The ops of a backend by name: how costs and profiles are sorted.

#include <cstddef>
#include <string_view>

namespace cairn::backend {

enum class OpKind { embed, matmul, mlp, rope_table, attention, add_normed, output_head };
inline constexpr std::size_t kOpKindCount = 7;

constexpr std::size_t index_of(OpKind kind) {
  return static_cast<std::size_t>(kind);
}

constexpr std::string_view name_of(OpKind kind) {
  constexpr std::string_view kNames[kOpKindCount] = {
      "embed", "matmul", "mlp", "rope_table", "attention", "add_normed", "output_head"};
  return kNames[index_of(kind)];
}

}  // namespace cairn::backend
