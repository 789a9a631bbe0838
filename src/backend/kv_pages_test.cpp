#include "backend/kv_pages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "tensor/format.h"

namespace cairn::backend {
namespace {

KvLayer layer_of(DType type, std::vector<std::byte>& keys, std::vector<std::byte>& values) {
  KvLayer kv{nullptr, nullptr, type, type, 2, 64, 32, 16, 3};
  keys.assign(static_cast<std::size_t>(kv.key_side().page_bytes()) * 3, std::byte{0xEE});
  values.assign(static_cast<std::size_t>(kv.value_side().page_bytes()) * 3, std::byte{0xEE});
  kv.keys = keys.data();
  kv.values = values.data();
  return kv;
}

std::size_t row_bytes(const KvSide& side) {
  const std::int64_t block_bytes = side.scale_bytes + side.code_bytes;
  return static_cast<std::size_t>(side.block_count * block_bytes);
}

/// Distinct bytes for each slot and head.
std::vector<std::byte> row_of(const KvSide& side, std::int64_t slot, std::int32_t head) {
  std::vector<std::byte> row(row_bytes(side));
  for (std::size_t i = 0; i < row.size(); ++i) {
    row[i] = static_cast<std::byte>(31 * slot + 101 * head + static_cast<std::int64_t>(7 * i));
  }
  return row;
}

TEST(KvPages, EveryRowComesBackAndEveryByteIsOfARow) {
  for (const DType type : {DType::f32, DType::f16, DType::bf16, DType::q8_0, DType::q4_0}) {
    std::vector<std::byte> keys, values;
    const KvLayer kv = layer_of(type, keys, values);
    for (const KvSide& side : {kv.key_side(), kv.value_side()}) {
      EXPECT_EQ(static_cast<std::size_t>(side.page_bytes()), row_bytes(side) * 2 * 16);
      for (std::int64_t slot = 0; slot < 48; ++slot) {
        for (std::int32_t head = 0; head < 2; ++head) {
          side.store(slot, head, row_of(side, slot, head).data());
        }
      }
      for (std::int64_t slot = 0; slot < 48; ++slot) {
        for (std::int32_t head = 0; head < 2; ++head) {
          std::vector<std::byte> row(row_bytes(side));
          side.load(slot, head, row.data());
          ASSERT_EQ(row, row_of(side, slot, head)) << "slot " << slot;
        }
      }
    }
  }
}

TEST(KvPages, StandsAsDrawn) {
  std::vector<std::byte> keys, values;
  const KvLayer q8 = layer_of(DType::q8_0, keys, values);
  std::vector<std::byte> row(row_bytes(q8.key_side()));
  row[34] = std::byte{1};          // the second block's scale
  row[34 + 2 + 5] = std::byte{2};  // its code 5
  q8.key_side().store(16 + 3, 1, row.data());
  const std::size_t block = 34 * 16;
  const std::size_t head = 2 * block;
  const std::size_t of_page_1 = 3 * head + head;  // after the three pages of head 0
  EXPECT_EQ(keys[of_page_1 + block + 2 * 3], std::byte{1});
  EXPECT_EQ(keys[of_page_1 + block + 2 * 16 + 5 * 16 + 3], std::byte{2});
  row.assign(34, std::byte{0});
  row[0] = std::byte{3};
  row[2 + 5] = std::byte{4};
  q8.value_side().store(3, 1, row.data());
  EXPECT_EQ(values[3 * block + 2 * 3], std::byte{3});
  EXPECT_EQ(values[3 * block + 2 * 16 + 3 * 32 + 5], std::byte{4});
}

TEST(KvPages, ACopiedPageHoldsTheSameRows) {
  for (const DType type : {DType::f16, DType::q4_0}) {
    std::vector<std::byte> keys, values;
    const KvLayer kv = layer_of(type, keys, values);
    const KvSide side = kv.key_side();
    for (std::int64_t slot = 0; slot < 48; ++slot) {
      for (std::int32_t head = 0; head < 2; ++head) {
        side.store(slot, head, row_of(side, slot, head).data());
      }
    }
    side.copy_page(0, 2);
    for (std::int64_t slot = 0; slot < 48; ++slot) {
      for (std::int32_t head = 0; head < 2; ++head) {
        std::vector<std::byte> row(row_bytes(side));
        side.load(slot, head, row.data());
        ASSERT_EQ(row, row_of(side, slot < 32 ? slot : slot - 32, head)) << "slot " << slot;
      }
    }
  }
}

TEST(KvPages, RefusesATypeByName) {
  EXPECT_EQ(kv_type_problem(DType::q8_0, 64), "");
  EXPECT_EQ(kv_type_problem(DType::f16, 40), "");
  EXPECT_THAT(kv_type_problem(DType::q4_0, 40),
              testing::HasSubstr("q4_0 takes heads of a multiple of 32"));
  EXPECT_THAT(kv_type_problem(DType::q4_k, 256), testing::HasSubstr("found q4_k, expected f32"));
}

}  // namespace
}  // namespace cairn::backend
