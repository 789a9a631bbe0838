// Attention against the reference, and its independence of batch, chunks, pages and threads (N1,
// N2).

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>

#include "backend/cpu/test_support.h"

namespace cairn::backend::cpu {
namespace {

struct Shape {
  std::int32_t heads = 6;
  std::int32_t kv_heads = 2;
  std::int32_t key_dim = 24;
  std::int32_t value_dim = 20;
  std::int32_t window = 0;  // 0: all keys
  float softcap = 0;
  DType key_type = DType::f16;
  DType value_type = DType::f16;
  RopePairs pairs = RopePairs::halves;
};

/// A sequence's queries, keys and values, as they come out of the projections.
struct Sequence {
  Matrix query;
  Matrix key;
  Matrix value;
  Sequence(const Shape& shape, std::int64_t rows, std::uint64_t seed)
      : query(rows, std::int64_t{shape.heads} * shape.key_dim),
        key(rows, std::int64_t{shape.kv_heads} * shape.key_dim),
        value(rows, std::int64_t{shape.kv_heads} * shape.value_dim) {
    Draws draws(seed);
    query.fill(draws, 2);
    key.fill(draws, 2);
    value.fill(draws);
  }
  std::int64_t rows() const { return query.tensor().rows(); }
};

/// Pages of one layer for several sequences, and the steps that run them.
class Layer {
 public:
  Layer(Backend& backend, const Shape& shape, std::int32_t page_tokens, int sequences,
        std::int64_t longest)
      : backend_(backend),
        shape_(shape),
        query_norm_(random_vector(shape.key_dim, 1)),
        key_norm_(random_vector(shape.key_dim, 2)),
        frequencies_(random_vector(shape.key_dim / 4, 3)) {
    const std::int64_t pages_each = (longest + page_tokens - 1) / page_tokens;
    const std::int64_t pages = pages_each * sequences;
    keys_ = backend.allocate(
        static_cast<std::size_t>(pages * page_tokens * shape.kv_heads * shape.key_dim * 4));
    values_ = backend.allocate(
        static_cast<std::size_t>(pages * page_tokens * shape.kv_heads * shape.value_dim * 4));
    // What a recycled page may hold: anything that is finite.
    std::memset(keys_.data(), 0x55, keys_.size_bytes());
    std::memset(values_.data(), 0x55, values_.size_bytes());
    kv_ = {keys_.data(),     values_.data(), shape.key_type,
           shape.value_type, shape.kv_heads, shape.key_dim,
           shape.value_dim,  page_tokens,    pages};
    tables_.resize(static_cast<std::size_t>(sequences));
    for (std::int64_t page = 0; page < pages; ++page) {  // pages of all sequences mixed
      tables_[static_cast<std::size_t>(page % sequences)].push_back(
          PageId{static_cast<std::int32_t>(pages - 1 - page)});
    }
  }

  /// Rows first..first+count-1 of a sequence.
  struct Chunk {
    const Sequence* sequence;
    int table;
    std::int64_t first;
    std::int64_t count;
  };
  /// One step over all chunks; each chunk's outputs, one after the other.
  std::vector<float> step(const std::vector<Chunk>& chunks) {
    std::int64_t rows = 0;
    for (const Chunk& chunk : chunks) rows += chunk.count;
    Matrix query(rows, std::int64_t{shape_.heads} * shape_.key_dim);
    Matrix key(rows, std::int64_t{shape_.kv_heads} * shape_.key_dim);
    Matrix value(rows, std::int64_t{shape_.kv_heads} * shape_.value_dim);
    Matrix output(rows, std::int64_t{shape_.heads} * shape_.value_dim);
    Matrix table(rows, 2 * frequencies_.size);
    std::vector<std::int32_t> positions;
    std::vector<KeyList> keys;
    std::vector<std::int64_t> slots;
    for (const Chunk& chunk : chunks) {
      const auto row = static_cast<std::int64_t>(positions.size());
      const auto copy = [&](const Matrix& from, const Matrix& to) {
        std::copy_n(from.row(chunk.first), chunk.count * from.tensor().columns(), to.row(row));
      };
      copy(chunk.sequence->query, query);
      copy(chunk.sequence->key, key);
      copy(chunk.sequence->value, value);
      const std::vector<PageId>& pages = tables_[static_cast<std::size_t>(chunk.table)];
      for (std::int64_t i = chunk.first; i < chunk.first + chunk.count; ++i) {
        const auto position = static_cast<std::int32_t>(i);
        positions.push_back(position);
        const std::int32_t first =
            shape_.window > 0 ? std::max(0, position + 1 - shape_.window) : 0;
        keys.push_back({pages.data(), first, position + 1});
        const PageId page = pages[static_cast<std::size_t>(i / kv_.page_tokens)];
        slots.push_back(std::int64_t{page.value} * kv_.page_tokens + i % kv_.page_tokens);
      }
    }
    backend_.rope_table({positions, &frequencies_, 1.1F, table.tensor()});
    backend_.attention({.query = query.tensor(),
                        .key = key.tensor(),
                        .value = value.tensor(),
                        .output = output.tensor(),
                        .heads = shape_.heads,
                        .query_norm = {&query_norm_, 1e-6F},
                        .key_norm = {&key_norm_, 1e-6F},
                        .rope_table = table.tensor(),
                        .rope_pairs = shape_.pairs,
                        .scale = 0.4F,
                        .softcap = shape_.softcap,
                        .kv = &kv_,
                        .keys = keys,
                        .write_slots = slots});
    return {output.row(0), output.row(0) + output.size()};
  }

 private:
  Backend& backend_;
  Shape shape_;
  Vector query_norm_;
  Vector key_norm_;
  Vector frequencies_;
  Buffer keys_;
  Buffer values_;
  KvLayer kv_;
  std::vector<std::vector<PageId>> tables_;
};

/// The whole sequence in chunks of `chunk` rows.
std::vector<float> run_in_chunks(Backend& backend, const Shape& shape, const Sequence& sequence,
                                 std::int32_t page_tokens, std::int64_t chunk) {
  Layer layer(backend, shape, page_tokens, 1, sequence.rows());
  std::vector<float> all;
  for (std::int64_t row = 0; row < sequence.rows(); row += chunk) {
    const std::int64_t count = std::min(chunk, sequence.rows() - row);
    const std::vector<float> part = layer.step({{&sequence, 0, row, count}});
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

std::vector<Shape> shapes() {
  return {
      {},
      {.window = 37, .softcap = 3, .pairs = RopePairs::adjacent},
      {.heads = 3, .kv_heads = 3, .key_dim = 64, .value_dim = 64},
      {.heads = 7,
       .kv_heads = 1,
       .key_dim = 16,
       .value_dim = 8,
       .key_type = DType::bf16,
       .value_type = DType::f32},
      {.heads = 4,
       .kv_heads = 1,
       .key_dim = 8,
       .value_dim = 13,
       .key_type = DType::f32,
       .value_type = DType::bf16},
      {.heads = 5, .kv_heads = 1, .window = 300, .key_type = DType::f32, .value_type = DType::f32},
      {.heads = 6,
       .kv_heads = 2,
       .key_dim = 64,
       .value_dim = 32,
       .key_type = DType::q8_0,
       .value_type = DType::q8_0},
      {.heads = 5,
       .kv_heads = 1,
       .key_dim = 32,
       .value_dim = 96,
       .window = 37,
       .softcap = 3,
       .key_type = DType::q4_0,
       .value_type = DType::q4_0},
      {.heads = 1,
       .kv_heads = 1,
       .key_dim = 96,
       .value_dim = 24,
       .key_type = DType::q8_0,
       .value_type = DType::f16},
      {.heads = 2,
       .kv_heads = 1,
       .key_dim = 40,
       .value_dim = 64,
       .key_type = DType::bf16,
       .value_type = DType::q4_0},
  };
}

class Attends : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Cpu, Attends, testing::ValuesIn(isa_names()));

TEST_P(Attends, AsTheReferenceDoes) {
  for (const Shape& shape : shapes()) {
    const Sequence sequence(shape, 330, 17);  // more than one span
    TestBackend backend(GetParam(), 2);
    TestBackend reference("reference", 2);
    const std::vector<float> actual = run_in_chunks(*backend, shape, sequence, 16, 330);
    const std::vector<float> expected = run_in_chunks(*reference, shape, sequence, 16, 330);
    for (std::size_t i = 0; i < actual.size(); ++i) {
      // A key rounded to the neighbouring 16-bit float moves a score by up to 1e-2.
      const bool is_f32 = shape.key_type == DType::f32 && shape.value_type == DType::f32;
      ASSERT_NEAR(actual[i], expected[i], is_f32 ? 2e-5F : 2e-3F) << i;
    }
  }
}

TEST_P(Attends, EquallyInChunksAndPagesOfAnySize) {
  for (const Shape& shape : shapes()) {
    const Sequence sequence(shape, 290, 18);
    TestBackend backend(GetParam(), 2);
    const std::vector<float> whole = run_in_chunks(*backend, shape, sequence, 64, 290);
    const auto size = static_cast<std::int64_t>(whole.size());
    for (const std::int64_t chunk : {1, 7, 32}) {
      const std::int32_t page_tokens = chunk == 7 ? 64 : 16;
      const std::vector<float> parts = run_in_chunks(*backend, shape, sequence, page_tokens, chunk);
      ASSERT_TRUE(equal_bits(whole.data(), parts.data(), size)) << "chunks of " << chunk;
    }
    for (const int threads : {1, 3}) {
      TestBackend other(GetParam(), threads);
      const std::vector<float> again = run_in_chunks(*other, shape, sequence, 64, 290);
      ASSERT_TRUE(equal_bits(whole.data(), again.data(), size));
    }
  }
}

TEST_P(Attends, EquallyInCompany) {
  for (const Shape& shape : shapes()) {
    const Sequence mine(shape, 270, 18);
    const Sequence other(shape, 100, 19);
    const Sequence third(shape, 5, 20);
    TestBackend backend(GetParam(), 2);
    const std::vector<float> alone = run_in_chunks(*backend, shape, mine, 16, 1);
    const std::int64_t width = static_cast<std::int64_t>(alone.size()) / 270;
    Layer layer(*backend, shape, 16, 3, 270);
    layer.step({{&other, 1, 0, 90}, {&mine, 0, 0, 200}});
    const std::vector<float> together =
        layer.step({{&third, 2, 0, 5}, {&mine, 0, 200, 69}, {&other, 1, 90, 1}});
    EXPECT_TRUE(equal_bits(together.data() + 5 * width, alone.data() + 200 * width, 69 * width));
    const std::vector<float> last = layer.step({{&other, 1, 91, 1}, {&mine, 0, 269, 1}});
    EXPECT_TRUE(equal_bits(last.data() + width, alone.data() + 269 * width, width));
  }
}

}  // namespace
}  // namespace cairn::backend::cpu
