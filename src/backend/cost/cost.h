#pragma once
// What a step costs, counted from shapes alone: bytes that must be read or written at least once,
// and arithmetic. What a machine makes of it (seconds) is the roofline's business.

#include <cstdint>

namespace cairn::backend {

struct Cost {
  std::int64_t calls = 0;
  std::int64_t weight_bytes = 0;   // file bytes of the tensors (or looked-up rows) an op touches
  std::int64_t kv_read_bytes = 0;  // visible keys and values, once per sequence and layer
  std::int64_t kv_written_bytes = 0;
  std::int64_t flops = 0;  // multiplications and additions of products and attention

  std::int64_t bytes() const { return weight_bytes + kv_read_bytes + kv_written_bytes; }
  Cost& operator+=(const Cost& other) {
    calls += other.calls;
    weight_bytes += other.weight_bytes;
    kv_read_bytes += other.kv_read_bytes;
    kv_written_bytes += other.kv_written_bytes;
    flops += other.flops;
    return *this;
  }
};

}  // namespace cairn::backend
