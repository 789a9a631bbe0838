#include "backend/reference/rope.h"

#include <cmath>

namespace cairn::backend::reference {

void fill_rope_table(const RopeTable& op) {
  const std::int64_t half = op.inverse_frequencies->size;
  const float* frequencies = op.inverse_frequencies->values();
  CHECK(op.table.columns() == 2 * half, "{} for {} pairs", op.table.columns(), half);
  for (std::int64_t row = 0; row < op.table.rows(); ++row) {
    const auto position = static_cast<float>(op.positions[static_cast<std::size_t>(row)]);
    float* cosines = op.table.row(row);
    float* sines = cosines + half;
    for (std::int64_t i = 0; i < half; ++i) {
      const float angle = position * frequencies[i];
      cosines[i] = std::cos(angle) * op.magnitude;
      sines[i] = std::sin(angle) * op.magnitude;
    }
  }
}

void rotate(float* head, const float* table_row, std::int64_t n, RopePairs pairs) {
  const std::int64_t half = n / 2;
  const bool adjacent = pairs == RopePairs::adjacent;
  for (std::int64_t i = 0; i < half; ++i) {
    float& a = head[adjacent ? 2 * i : i];
    float& b = head[adjacent ? 2 * i + 1 : i + half];
    const float cosine = table_row[i];
    const float sine = table_row[half + i];
    const float turned_a = a * cosine - b * sine;
    b = b * cosine + a * sine;
    a = turned_a;
  }
}

}  // namespace cairn::backend::reference
