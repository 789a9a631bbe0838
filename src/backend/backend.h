#pragma once
// What a device can do: few, fused ops over a flat batch of rows. `reference` gives every op its
// meaning in plain float loops, `cpu` makes it fast, `cost` returns its price instead of numbers.
//
// Contract of every op (DESIGN N1, N2): what it computes for a row depends on that row's own
// sequence only, bit for bit: not on the other rows, not on how many there are, not on the number
// of threads. Ops do not allocate per call beyond scratch that the backend owns, do not throw, and
// are called by one thread at a time. All activations are f32, row-major.

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "backend/kv_pages.h"
#include "base/ids.h"
#include "tensor/tensor.h"

namespace cairn::backend {

/// Where a weight's values stand in the file. One tensor today; formats that keep values, scales
/// and zeros apart add members here, and prepare() makes one weight of them.
struct WeightView {
  std::string name;  // for messages and profiles
  ConstTensor values /*[rows, columns]*/;
};

/// How a prepared weight will be used.
enum class WeightUse {
  matmul,           // multiplied with activations
  rows,             // rows are looked up (an untied embedding)
  matmul_and_rows,  // both (a tied embedding)
};

/// A matrix in the shape that its backend wants. Opaque; only the backend that made it reads it.
class Weight {
 public:
  virtual ~Weight() = default;
  const std::string& name() const { return name_; }
  DType dtype() const { return dtype_; }
  std::int64_t rows() const { return rows_; }        // outputs
  std::int64_t columns() const { return columns_; }  // inputs
  std::size_t file_bytes() const { return file_bytes_; }

 protected:
  explicit Weight(const WeightView& view)
      : name_(view.name),
        dtype_(view.values.dtype),
        rows_(view.values.rows()),
        columns_(view.values.columns()),
        file_bytes_(view.values.size_bytes()) {}

 private:
  std::string name_;
  DType dtype_;
  std::int64_t rows_;
  std::int64_t columns_;
  std::size_t file_bytes_;
};

/// A short f32 vector in the backend's memory: norm weights, biases, rope frequencies, sinks.
struct Vector {
  Buffer memory;
  std::int64_t size = 0;
  const float* values() const { return reinterpret_cast<const float*>(memory.data()); }
};

/// Root-mean-square norm: x / sqrt(mean(x^2) + epsilon) * weight. Without a weight: nothing is
/// done. Mean in f32 over fixed lanes of the row; see backend/reference for the order.
struct RmsNorm {
  const Vector* weight = nullptr;  // [columns] of the normed rows, or of one head
  float epsilon = 0;
};

enum class Store {
  assign,  // output = result
  add,     // output += result (a residual stream)
};

/// One of several products that share an input.
struct Projection {
  const Weight* weight = nullptr;  // [outputs, inputs]
  const Vector* bias = nullptr;    // [outputs] or null
  Tensor output /*[rows, outputs]*/;
  Store store = Store::assign;
};

/// output_i = norm(input) * weight_i^T + bias_i
struct Matmul {
  Tensor input /*[rows, inputs]*/;
  RmsNorm norm;
  std::span<const Projection> projections;
};

enum class Activation { silu, gelu_tanh };

/// output (+)= down(activation(gate(norm(x))) * up(norm(x)))
struct Mlp {
  Tensor input /*[rows, width]*/;
  RmsNorm norm;
  const Weight* gate = nullptr;  // [hidden, width]
  const Weight* up = nullptr;    // [hidden, width]
  const Weight* down = nullptr;  // [width, hidden]
  const Vector* gate_bias = nullptr;
  const Vector* up_bias = nullptr;
  const Vector* down_bias = nullptr;
  Activation activation = Activation::silu;
  Tensor output /*[rows, width]*/;
  Store store = Store::assign;
};

/// Which pairs of a head's values a rotary embedding turns.
enum class RopePairs {
  halves,    // (i, i + n/2): "NEOX"; Hugging Face checkpoints
  adjacent,  // (2i, 2i + 1): "NORM"; llama files in GGUF
};

/// Angles of the rotary embedding: table[row] = n/2 cosines, then n/2 sines, of
/// position * inverse_frequencies[i] (f32 product), times `magnitude` (YaRN's attention factor).
struct RopeTable {
  std::span<const std::int32_t> positions;      // [rows]
  const Vector* inverse_frequencies = nullptr;  // [n/2]
  float magnitude = 1;
  Tensor table /*[rows, n]*/;
};

/// The keys that one query row sees, in order: keys first..end-1 of its sequence. Key i stands in
/// page pages[i / page_tokens] at offset i % page_tokens. The index i decides tile and lane.
struct KeyList {
  const PageId* pages = nullptr;
  std::int32_t first = 0;  // > 0 where a window hides older keys; their pages may be gone
  std::int32_t end = 0;
};

/// Grouped-query attention (MHA and MQA are its ends): norm and rotate queries and keys, write all
/// rows' keys and values to their pages (rounded to the KV type), then let each row attend to its
/// key list, read back from the pages. Query head h uses KV head h / (heads / kv_heads).
struct Attention {
  Tensor query /*[rows, heads * key_dim], changed in place*/;
  Tensor key /*[rows, kv_heads * key_dim], changed in place*/;
  Tensor value /*[rows, kv_heads * value_dim]*/;
  Tensor output /*[rows, heads * value_dim]*/;
  std::int32_t heads = 0;
  RmsNorm query_norm;  // per head, before the rotation
  RmsNorm key_norm;
  Tensor rope_table /*[rows, n], no data: no rotation; n < key_dim turns the first n values*/;
  RopePairs rope_pairs = RopePairs::halves;
  float scale = 1;
  float softcap = 0;  // > 0: score = softcap * tanh(score / softcap)
  const KvLayer* kv = nullptr;
  std::span<const KeyList> keys;              // [rows]
  std::span<const std::int64_t> write_slots;  // [rows]: page * page_tokens + offset of this row
};

/// logits[i] = cap(scale * weight * norm(input[rows[i]])), cap as in Attention.
struct OutputHead {
  Tensor input /*[batch rows, width]*/;
  std::span<const std::int32_t> rows;
  RmsNorm norm;
  const Weight* weight = nullptr;  // [vocabulary, width]
  const Vector* bias = nullptr;
  float scale = 1;
  float softcap = 0;
  Tensor logits /*[rows.size(), vocabulary]*/;
};

class Backend {
 public:
  virtual ~Backend() = default;

  /// "reference", "cpu-avx2", "cpu-portable", "cost": part of a run's fingerprint.
  virtual std::string_view name() const = 0;
  /// False: shapes are enough, so weights are neither decoded nor encoded for it (planning).
  virtual bool reads_values() const { return true; }

  /// The only place where a weight's bytes change shape. After it returns, the source may go away,
  /// unless `use` looks up rows: then the view must outlive the weight.
  virtual std::unique_ptr<Weight> prepare(const WeightView& view, WeightUse use) = 0;
  /// Decodes a vector and adds `offset` to each value (Gemma checkpoints store weight - 1).
  virtual Vector prepare_vector(const ConstTensor& values /*[size]*/, float offset) = 0;
  /// Zeroed memory that ops can use.
  virtual Buffer allocate(std::size_t size_bytes) = 0;

  /// output[row] = scale * table[tokens[row]]
  virtual void embed(const Weight& table, std::span<const TokenId> tokens, float scale,
                     Tensor output /*[rows, width]*/) = 0;
  virtual void matmul(const Matmul& op) = 0;
  virtual void mlp(const Mlp& op) = 0;
  virtual void rope_table(const RopeTable& op) = 0;
  virtual void attention(const Attention& op) = 0;
  /// stream += norm(branch): a residual whose branch is normed first (Gemma).
  virtual void add_normed(Tensor stream /*[rows, width]*/, Tensor branch /*[rows, width]*/,
                          const RmsNorm& norm) = 0;
  virtual void output_head(const OutputHead& op) = 0;
};

}  // namespace cairn::backend
