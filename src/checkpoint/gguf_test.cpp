#include "checkpoint/gguf.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "checkpoint/test_files.h"
#include "tensor/format.h"

namespace cairn::checkpoint {
namespace {

using ::testing::ElementsAre;

constexpr std::uint32_t kF32Type = 0;
constexpr std::uint32_t kQ80Type = 8;
constexpr std::uint32_t kI64Type = 27;
constexpr std::uint64_t kHuge = std::uint64_t{1} << 63;

// A copy of exactly the file's size, so that a sanitizer sees a read behind its end.
GgufContent parse(const std::string& file) {
  static std::vector<std::byte> kept;
  const auto bytes = bytes_of(file);
  kept = std::vector<std::byte>(bytes.begin(), bytes.end());
  return parse_gguf(kept, "model.gguf");
}

void expect_refused(ErrorKind kind, const std::vector<std::string>& parts, const GgufFile& file) {
  std::vector<std::string> all = parts;
  all.emplace_back("model.gguf");
  expect_error(kind, all, [&] { parse(file.bytes()); });
}

GgufFile small_model() {
  GgufFile file;
  file.text("general.architecture", "llama").u32("llama.block_count", 1);
  file.list("tokenizer.ggml.tokens", kText, 2, gguf_text("a") + gguf_text("b"));
  file.floats("token_embd.weight", {2, 3}, {1, 2, 3, 4, 5, 6});
  file.floats("output_norm.weight", {2}, {7, 8});
  return file;
}

TEST(Gguf, ReadsTensorsOutermostDimensionFirst) {
  const GgufContent content = parse(small_model().bytes());
  ASSERT_EQ(content.tensors.size(), 2U);
  const NamedTensor& embedding = content.tensors[0];
  EXPECT_EQ(embedding.name, "token_embd.weight");
  EXPECT_EQ(embedding.type, "f32");
  EXPECT_TRUE(embedding.usable());
  EXPECT_EQ(embedding.view.shape, (Shape{3, 2}));
  std::vector<float> values(6);
  tensor::decode_to_floats(embedding.view, values);
  EXPECT_THAT(values, ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_EQ(content.tensors[1].view.shape, (Shape{2}));
}

TEST(Gguf, ReadsEveryScalarType) {
  GgufFile file;
  file.key("u8", kU8, raw<std::uint8_t>(200)).key("i8", kI8, raw<std::int8_t>(-100));
  file.key("u16", kU16, raw<std::uint16_t>(60000)).key("i16", kI16, raw<std::int16_t>(-30000));
  file.key("u32", kU32, raw<std::uint32_t>(4'000'000'000)).key("i32", kI32, raw<std::int32_t>(-5));
  file.key("u64", kU64, raw(kHuge)).key("i64", kI64, raw<std::int64_t>(-6));
  file.key("f32", kF32, raw(1.5F)).key("f64", kF64, raw(0.1));
  file.key("yes", kBoolean, raw<std::uint8_t>(1)).text("text", "h\xC3\xA9");
  const Metadata metadata = parse(file.bytes()).metadata;
  EXPECT_EQ(metadata.integer("u8"), 200);
  EXPECT_EQ(metadata.integer("i8"), -100);
  EXPECT_EQ(metadata.integer("u16"), 60000);
  EXPECT_EQ(metadata.integer("i16"), -30000);
  EXPECT_EQ(metadata.integer("u32"), 4'000'000'000);
  EXPECT_EQ(metadata.integer("i32"), -5);
  EXPECT_EQ(metadata.number("u64"), 9223372036854775808.0);
  EXPECT_EQ(metadata.integer("i64"), -6);
  EXPECT_EQ(metadata.number("f32"), 1.5);
  EXPECT_EQ(metadata.number("f64"), 0.1);
  EXPECT_EQ(metadata.boolean("yes"), true);
  EXPECT_EQ(metadata.text("text"), "h\xC3\xA9");
}

TEST(Gguf, ReadsListsOfEveryType) {
  GgufFile file;
  file.list("u8", kU8, 2, raw<std::uint8_t>(1) + raw<std::uint8_t>(255));
  file.list("i8", kI8, 1, raw<std::int8_t>(-1)).list("u16", kU16, 1, raw<std::uint16_t>(65535));
  file.list("i16", kI16, 1, raw<std::int16_t>(-2)).list("u32", kU32, 1, raw<std::uint32_t>(7));
  file.list("i32", kI32, 1, raw<std::int32_t>(-3)).list("u64", kU64, 1, raw<std::uint64_t>(8));
  file.list("i64", kI64, 1, raw<std::int64_t>(-4)).list("f32", kF32, 1, raw(0.5F));
  file.list("f64", kF64, 1, raw(0.25)).list("text", kText, 1, gguf_text("x"));
  file.list("boolean", kBoolean, 2, raw<std::uint8_t>(0) + raw<std::uint8_t>(1));
  file.list("empty", kText, 0, "");
  const Metadata metadata = parse(file.bytes()).metadata;
  EXPECT_THAT(*metadata.integers("u8"), ElementsAre(1, 255));
  EXPECT_THAT(*metadata.integers("i8"), ElementsAre(-1));
  EXPECT_THAT(*metadata.integers("u16"), ElementsAre(65535));
  EXPECT_THAT(*metadata.integers("i16"), ElementsAre(-2));
  EXPECT_THAT(*metadata.integers("u32"), ElementsAre(7));
  EXPECT_THAT(*metadata.integers("i32"), ElementsAre(-3));
  EXPECT_THAT(*metadata.integers("u64"), ElementsAre(8));
  EXPECT_THAT(*metadata.integers("i64"), ElementsAre(-4));
  EXPECT_THAT(*metadata.numbers("f32"), ElementsAre(0.5));
  EXPECT_THAT(*metadata.numbers("f64"), ElementsAre(0.25));
  EXPECT_THAT(*metadata.texts("text"), ElementsAre("x"));
  EXPECT_THAT(*metadata.booleans("boolean"), ElementsAre(false, true));
  EXPECT_TRUE(metadata.integers("empty")->empty());
}

TEST(Gguf, ReadsVersionTwoAndOtherAlignments) {
  GgufFile file = small_model();
  file.version = 2;
  EXPECT_EQ(parse(file.bytes()).tensors.size(), 2U);

  GgufFile aligned;
  aligned.alignment = 64;
  aligned.u32("general.alignment", 64).floats("a", {1}, {1}).floats("b", {1}, {2});
  const GgufContent content = parse(aligned.bytes());
  EXPECT_EQ(content.tensors[1].bytes.data() - content.tensors[0].bytes.data(), 64);
}

TEST(Gguf, ReadsAFileWithoutTensors) {
  GgufFile file;
  file.text("general.architecture", "llama");
  EXPECT_TRUE(parse(file.bytes()).tensors.empty());
}

TEST(Gguf, RefusesAFileCutAtAnyByte) {
  const std::string whole = small_model().bytes();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_THROW(parse(whole.substr(0, size)), Error) << "cut at " << size;
  }
}

TEST(Gguf, NeverCrashesOnAChangedByte) {
  const std::string whole = small_model().bytes();
  for (std::size_t position = 0; position < whole.size(); ++position) {
    for (const char value : {'\x00', '\x01', '\x7F', '\x80', '\xFF'}) {
      std::string changed = whole;
      changed[position] = value;
      try {
        for (const NamedTensor& tensor : parse(changed).tensors) {
          ASSERT_LE(tensor.bytes.size(), whole.size());
        }
      } catch (const Error&) {
        // Refused is as good as read; the sanitizers watch for the rest.
      }
    }
  }
}

TEST(Gguf, RefusesOtherVersionsByName) {
  GgufFile file = small_model();
  for (const std::uint32_t version : {0U, 1U, 4U, 99U}) {
    file.version = version;
    expect_refused(ErrorKind::unsupported, {"version " + std::to_string(version)}, file);
  }
  file.version = 3U << 24;
  expect_refused(ErrorKind::unsupported, {"big-endian"}, file);
  file.magic = "GGML";
  expect_refused(ErrorKind::corrupt, {"does not begin with \"GGUF\""}, file);
}

TEST(Gguf, RefusesCountsThatCannotBe) {
  for (const std::uint64_t count : {std::uint64_t{1000}, kHuge, ~std::uint64_t{0}}) {
    GgufFile file = small_model();
    file.stated_tensor_count = count;
    expect_refused(ErrorKind::corrupt, {std::to_string(count) + " tensors"}, file);
    file = small_model();
    file.stated_key_count = count;
    expect_refused(ErrorKind::corrupt, {std::to_string(count) + " keys"}, file);
  }
}

TEST(Gguf, RefusesBadKeys) {
  expect_refused(ErrorKind::corrupt, {"\"a\" occurs twice"}, GgufFile().u32("a", 1).u32("a", 2));
  expect_refused(ErrorKind::corrupt, {"empty key"}, GgufFile().u32("", 1));
  expect_refused(ErrorKind::corrupt, {"key has 65536 bytes"},
                 GgufFile().u32(std::string(65536, 'k'), 1));
  expect_refused(ErrorKind::corrupt, {"\"a\" has the value type 13"}, GgufFile().key("a", 13, "x"));
  expect_refused(ErrorKind::corrupt, {"\"a\" is 2", "0 or 1"},
                 GgufFile().key("a", kBoolean, raw<std::uint8_t>(2)));
  GgufFile huge_key;
  huge_key.keys.push_back(raw(~std::uint64_t{0}) + "abcdefgh");
  expect_refused(ErrorKind::corrupt, {"key has 18446744073709551615 bytes"}, huge_key);
}

TEST(Gguf, RefusesBadTextsAndLists) {
  expect_refused(ErrorKind::corrupt, {"a has 9223372036854775808 bytes"},
                 GgufFile().key("a", kText, raw(kHuge)));
  expect_refused(ErrorKind::corrupt, {"cut short", "100 bytes"},
                 GgufFile().key("a", kText, raw<std::uint64_t>(100) + "abc"));
  expect_refused(ErrorKind::unsupported, {"list of lists"}, GgufFile().list("a", kList, 1, "xxxx"));
  expect_refused(ErrorKind::corrupt, {"item type 99"}, GgufFile().list("a", 99, 1, "xxxx"));
  for (const std::uint64_t count : {std::uint64_t{9}, kHuge, ~std::uint64_t{0}, kHuge / 4}) {
    for (const std::uint32_t type : {kU8, kU32, kF64, kText, kBoolean}) {
      expect_refused(ErrorKind::corrupt, {"a"}, GgufFile().list("a", type, count, "xxxx"));
    }
  }
  expect_refused(ErrorKind::unsupported, {"\"a\"[1]", "2^63"},
                 GgufFile().list("a", kU64, 2, raw<std::uint64_t>(1) + raw(kHuge)));
}

TEST(Gguf, RefusesBadTensorEntries) {
  const auto with = [](std::string_view name, const std::vector<std::int64_t>& dimensions,
                       std::uint32_t type, std::uint64_t offset) {
    GgufFile file;
    file.tensor(name, dimensions, type, offset);
    file.data = std::string(256, '\0');
    return file;
  };
  EXPECT_EQ(parse(with("t", {2}, kF32Type, 0).bytes()).tensors.size(), 1U);
  EXPECT_EQ(parse(with(std::string(63, 't'), {2}, kF32Type, 0).bytes()).tensors.size(), 1U);
  expect_refused(ErrorKind::corrupt, {"64 bytes"}, with(std::string(64, 't'), {2}, kF32Type, 0));
  expect_refused(ErrorKind::corrupt, {"without a name"}, with("", {2}, kF32Type, 0));
  expect_refused(ErrorKind::corrupt, {"5 dimensions"}, with("t", {1, 1, 1, 1, 1}, kF32Type, 0));
  expect_refused(ErrorKind::corrupt, {"dimension of 0"}, with("t", {2, 0}, kF32Type, 0));
  expect_refused(ErrorKind::corrupt, {"dimension of -1"}, with("t", {-1}, kF32Type, 0));
  const std::int64_t half = std::int64_t{1} << 32;
  expect_refused(ErrorKind::corrupt, {"too large"}, with("t", {half, half}, kF32Type, 0));
  expect_refused(ErrorKind::corrupt, {"too large"}, with("t", {half, half / 2}, kF32Type, 0));
  expect_refused(ErrorKind::corrupt, {"too large"},
                 with("t", {std::numeric_limits<std::int64_t>::max()}, kF32Type, 0));
  expect_refused(ErrorKind::corrupt, {"no multiple of the 32", "q8_0"},
                 with("t", {33}, kQ80Type, 0));
  expect_refused(ErrorKind::corrupt, {"\"t\"", "needs 260 bytes"}, with("t", {65}, kF32Type, 0));
  expect_refused(ErrorKind::corrupt, {"begins at 4", "multiple of 32"},
                 with("t", {1}, kF32Type, 4));
  for (const std::uint64_t offset : {std::uint64_t{256}, kHuge, ~std::uint64_t{31}}) {
    expect_refused(ErrorKind::corrupt, {"cut short"}, with("t", {1}, kF32Type, offset));
  }
}

TEST(Gguf, RefusesTensorsThatShareBytesOrNames) {
  GgufFile overlapping;
  overlapping.tensor("a", {9}, kF32Type, 32).tensor("b", {16}, kF32Type, 0);
  overlapping.data = std::string(128, '\0');
  expect_refused(ErrorKind::corrupt, {"\"b\" and \"a\" share bytes"}, overlapping);
  GgufFile same;
  same.tensor("a", {8}, kF32Type, 0).tensor("b", {8}, kF32Type, 0);
  same.data = std::string(128, '\0');
  expect_refused(ErrorKind::corrupt, {"share bytes"}, same);
  expect_refused(ErrorKind::corrupt, {"two tensors are called \"a\""},
                 GgufFile().floats("a", {1}, {1}).floats("a", {1}, {2}));
}

TEST(Gguf, AllowsTensorsInAnyOrderWithGaps) {
  GgufFile file;
  file.tensor("late", {8}, kF32Type, 96).tensor("early", {8}, kF32Type, 0);
  file.data = std::string(128, '\0');
  const GgufContent content = parse(file.bytes());
  EXPECT_EQ(content.tensors[0].name, "late");
  EXPECT_GT(content.tensors[0].view.data, content.tensors[1].view.data);
}

TEST(Gguf, RefusesBadAlignments) {
  for (const std::uint32_t alignment : {0U, 3U, 48U, 1U << 31, ~0U}) {
    GgufFile file;
    file.u32("general.alignment", alignment).floats("a", {1}, {1});
    expect_refused(ErrorKind::corrupt, {"general.alignment", std::to_string(alignment)}, file);
  }
  expect_refused(ErrorKind::corrupt, {"general.alignment", "text \"32\""},
                 GgufFile().text("general.alignment", "32"));
}

TEST(Gguf, ListsKnownTypesThatNothingDecodes) {
  GgufFile file;
  file.tensor("table", {2}, kI64Type, 0);
  file.data = std::string(16, '\0');
  const GgufContent content = parse(file.bytes());
  ASSERT_EQ(content.tensors.size(), 1U);
  const NamedTensor& table = content.tensors.front();
  EXPECT_FALSE(table.usable());
  EXPECT_EQ(table.view.dtype, DType::none);
  EXPECT_EQ(table.bytes.size(), 16U);
  EXPECT_THAT(table.problem, ::testing::HasSubstr("type i64"));
  EXPECT_THAT(table.problem, ::testing::HasSubstr("q4_k"));
}

TEST(Gguf, NamesTypesOfOtherProjects) {
  const auto with_type = [](std::uint32_t type) { return GgufFile().tensor("t", {256}, type, 0); };
  expect_refused(ErrorKind::unsupported, {"\"t\"", "ik_llama.cpp's IQ4_K", "supported are"},
                 with_type(139));
  expect_refused(ErrorKind::unsupported, {"ik_llama.cpp's interleaved"}, with_type(210));
  expect_refused(ErrorKind::unsupported, {"id 1000", "no known type"}, with_type(1000));
  expect_refused(ErrorKind::unsupported, {"no known type"}, with_type(~0U));
}

TEST(Gguf, ReadsEveryFormatThatDecodesHere) {
  for (const tensor::Format& format : tensor::all_formats()) {
    GgufFile file;
    file.tensor("t", {2 * std::int64_t{format.values_per_block}, 3},
                static_cast<std::uint32_t>(format.dtype), 0);
    file.data = std::string(std::size_t{6} * format.bytes_per_block, '\0');
    const GgufContent content = parse(file.bytes());
    ASSERT_EQ(content.tensors.size(), 1U) << format.name;
    EXPECT_EQ(content.tensors[0].view.dtype, format.dtype) << format.name;
    EXPECT_EQ(content.tensors[0].view.bytes().size(), file.data.size()) << format.name;
    file.data.pop_back();
    expect_refused(ErrorKind::corrupt, {"cut short"}, file);
  }
}

TEST(Gguf, MessagesShowHostileNamesSafely) {
  expect_refused(ErrorKind::corrupt, {"\\x1b[31m\\x0a"},
                 GgufFile().u32("\x1b[31m\n", 1).u32("\x1b[31m\n", 1));
}

}  // namespace
}  // namespace cairn::checkpoint
