#pragma once
// What the tests and benchmarks of the cpu backend share: backends by ISA and thread count, and
// random weights and activations.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "backend/cpu/cpu_backend.h"
#include "backend/cpu/select_isa.h"
#include "backend/reference/reference_backend.h"
#include "base/random.h"
#include "tensor/half.h"

namespace cairn::backend::cpu {

/// Names of the ISAs that this machine runs.
inline std::vector<std::string> isa_names() {
  const IsaList list = usable_isas();
  std::vector<std::string> names;
  names.reserve(static_cast<std::size_t>(list.count));
  for (int i = 0; i < list.count; ++i) names.emplace_back(list.tables[i]->name);
  return names;
}

/// A backend with its own threads.
class TestBackend {
 public:
  /// `isa`: a name of isa_names(), or "reference".
  TestBackend(const std::string& isa, int threads) : threads_(threads) {
    if (isa == "reference") {
      backend_ = make_reference_backend(context_);
      return;
    }
    setenv("CAIRN_ISA", isa.c_str(), 1);
    backend_ = make_cpu_backend(context_);
    unsetenv("CAIRN_ISA");
  }
  Backend& operator*() { return *backend_; }
  Backend* operator->() { return backend_.get(); }

 private:
  base::ThreadPool threads_;
  base::SystemClock clock_;
  base::Log log_;
  Context context_{threads_, clock_, log_};
  std::unique_ptr<Backend> backend_;
};

/// A stream of draws that depends on its seed only.
class Draws {
 public:
  explicit Draws(std::uint64_t seed) : seed_(seed) {}
  double uniform() { return base::uniform_draw(seed_, 0, next_++, base::DrawPurpose::test); }
  float between(float low, float high) {
    return low + (high - low) * static_cast<float>(uniform());
  }
  /// Roughly normal: the sum of four uniform draws, standard deviation 1.
  float normal() {
    const double sum = uniform() + uniform() + uniform() + uniform() - 2.0;
    return static_cast<float>(sum * std::sqrt(3.0));
  }

 private:
  std::uint64_t seed_;
  std::uint32_t next_ = 0;
};

/// An f32 matrix that owns its memory.
class Matrix {
 public:
  Matrix(std::int64_t rows, std::int64_t columns)
      : memory_(static_cast<std::size_t>(rows * columns) * sizeof(float)),
        tensor_{DType::f32, {rows, columns}, memory_.data()} {}
  const Tensor& tensor() const { return tensor_; }
  float* row(std::int64_t index) const { return tensor_.row(index); }
  std::int64_t size() const { return tensor_.shape.elements(); }
  void fill(Draws& draws, float scale = 1) {
    for (std::int64_t i = 0; i < size(); ++i) tensor_.floats()[i] = scale * draws.normal();
  }

 private:
  Buffer memory_;
  Tensor tensor_;
};

/// A weight matrix in a number format, encoded from random values.
class RandomWeight {
 public:
  RandomWeight(DType dtype, std::int64_t rows, std::int64_t columns, std::uint64_t seed)
      : values_(rows, columns) {
    Draws draws(seed);
    values_.fill(draws, 0.05F);
    const tensor::Format& format = tensor::format_of(dtype);
    view_ = {std::string(format.name), {dtype, {rows, columns}, nullptr}};
    bytes_ = Buffer(view_.values.size_bytes());
    view_.values.data = bytes_.data();
    format.encode(values_.row(0), bytes_.data(),
                  static_cast<std::size_t>(rows * columns) / format.values_per_block);
  }
  const WeightView& view() const { return view_; }
  std::byte* bytes() const { return bytes_.data(); }

 private:
  Matrix values_;
  Buffer bytes_;
  WeightView view_;
};

/// Equal bit for bit, the sign of a zero included.
inline bool equal_bits(const float* a, const float* b, std::int64_t count) {
  return std::equal(a, a + count, b, [](float x, float y) {
    return std::bit_cast<std::uint32_t>(x) == std::bit_cast<std::uint32_t>(y);
  });
}

/// A vector of random values around 1.
inline Vector random_vector(std::int64_t size, std::uint64_t seed, float center = 1) {
  Draws draws(seed);
  Vector vector{Buffer(static_cast<std::size_t>(size) * sizeof(float)), size};
  auto* values = reinterpret_cast<float*>(vector.memory.data());
  for (std::int64_t i = 0; i < size; ++i) values[i] = center + 0.2F * draws.normal();
  return vector;
}

}  // namespace cairn::backend::cpu
