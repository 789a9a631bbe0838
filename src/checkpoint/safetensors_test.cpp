#include "checkpoint/safetensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "checkpoint/test_files.h"
#include "tensor/format.h"

namespace cairn::checkpoint {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A copy of exactly the file's size, so that a sanitizer sees a read behind its end.
std::vector<NamedTensor> parse(const std::string& file) {
  static std::vector<std::byte> kept;
  const auto bytes = bytes_of(file);
  kept = std::vector<std::byte>(bytes.begin(), bytes.end());
  return parse_safetensors(kept, "model.safetensors");
}

std::vector<NamedTensor> parse(const std::string& header, std::size_t data_bytes) {
  return parse(safetensors_file(header, std::string(data_bytes, '\0')));
}

void expect_refused(ErrorKind kind, const std::vector<std::string>& parts,
                    const std::string& header, std::size_t data_bytes = 64) {
  std::vector<std::string> all = parts;
  all.emplace_back("model.safetensors");
  expect_error(kind, all, [&] { parse(header, data_bytes); });
}

std::string entry(const std::string& dtype, const std::string& shape, const std::string& offsets) {
  return R"({"t": {"dtype": ")" + dtype + R"(", "shape": )" + shape + R"(, "data_offsets": )" +
         offsets + "}}";
}

std::string small_file() {
  return safetensors_file(R"({"__metadata__": {"format": "pt"},)"
                          R"("b": {"dtype": "F32", "shape": [2], "data_offsets": [8, 16]},)"
                          R"("a": {"dtype": "BF16", "shape": [2, 2], "data_offsets": [0, 8]}})",
                          raw<std::uint16_t>(0x3F80) + raw<std::uint16_t>(0x4000) +
                              raw<std::uint16_t>(0xC000) + raw<std::uint16_t>(0) + raw(5.0F) +
                              raw(6.0F));
}

TEST(Safetensors, ReadsTensorsInTheOrderOfTheData) {
  const std::vector<NamedTensor> tensors = parse(small_file());
  ASSERT_EQ(tensors.size(), 2U);
  EXPECT_EQ(tensors[0].name, "a");
  EXPECT_EQ(tensors[0].type, "BF16");
  EXPECT_EQ(tensors[0].view.shape, (Shape{2, 2}));
  std::vector<float> values(4);
  tensor::decode_to_floats(tensors[0].view, values);
  EXPECT_THAT(values, ElementsAre(1, 2, -2, 0));
  values.resize(2);
  tensor::decode_to_floats(tensors[1].view, values);
  EXPECT_THAT(values, ElementsAre(5, 6));
}

TEST(Safetensors, ReadsScalarsAndAFileWithoutTensors) {
  EXPECT_EQ(parse(entry("F32", "[]", "[0, 4]"), 4).front().view.shape.rank(), 0);
  EXPECT_TRUE(parse("{}", 0).empty());
}

TEST(Safetensors, RefusesAFileCutAtAnyByte) {
  const std::string whole = small_file();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_THROW(parse(whole.substr(0, size)), Error) << "cut at " << size;
  }
}

TEST(Safetensors, NeverCrashesOnAChangedByte) {
  const std::string whole = small_file();
  for (std::size_t position = 0; position < whole.size(); ++position) {
    for (const char value : {'\x00', '0', '9', '"', '[', '{', '}', '\xFF'}) {
      std::string changed = whole;
      changed[position] = value;
      try {
        for (const NamedTensor& tensor : parse(changed)) {
          ASSERT_LE(tensor.bytes.size(), whole.size());
        }
      } catch (const Error&) {
        // Refused is as good as read; the sanitizers watch for the rest.
      }
    }
  }
}

TEST(Safetensors, ListsTypesThatCannotBeWeights) {
  for (const auto& [dtype, bytes] : std::vector<std::pair<std::string, int>>{
           {"F64", 8}, {"I64", 8}, {"I32", 4}, {"I8", 1}, {"U8", 1}, {"F8_E4M3", 1}}) {
    const auto tensors = parse(entry(dtype, "[2]", "[0, " + std::to_string(2 * bytes) + "]"), 64);
    ASSERT_EQ(tensors.size(), 1U) << dtype;
    EXPECT_FALSE(tensors[0].usable());
    EXPECT_EQ(tensors[0].view.dtype, DType::none);
    EXPECT_THAT(tensors[0].problem, HasSubstr(dtype));
    EXPECT_THAT(tensors[0].problem, HasSubstr("BF16"));
  }
  const auto tensors = parse(entry("F32", "[1, 1, 1, 1, 2]", "[0, 8]"), 64);
  EXPECT_THAT(tensors.front().problem, HasSubstr("5 dimensions"));
}

TEST(Safetensors, RefusesBadHeaderLengths) {
  const auto with_length = [](std::uint64_t length) { return raw(length) + "{}" + "data"; };
  expect_error(ErrorKind::corrupt, {"cut short", "the header"}, [&] { parse(with_length(7)); });
  for (const std::uint64_t length : {std::uint64_t{100'000'001}, ~std::uint64_t{0}}) {
    expect_error(ErrorKind::corrupt, {"limit of 100000000"}, [&] { parse(with_length(length)); });
  }
  expect_error(ErrorKind::corrupt, {"brace"}, [&] { parse(with_length(0)); });
}

TEST(Safetensors, RefusesHeadersOfAnotherForm) {
  expect_refused(ErrorKind::corrupt, {"no valid JSON"}, R"({"t": )");
  expect_refused(ErrorKind::corrupt, {"a number is out of place", "\"t\""}, R"({"t": 1})");
  expect_refused(ErrorKind::corrupt, {"a text is out of place"}, R"({"t": "x"})");
  expect_refused(ErrorKind::corrupt, {"null is out of place"}, R"({"t": null})");
  expect_refused(ErrorKind::corrupt, {"a list is out of place"}, R"({"t": []})");
  expect_refused(ErrorKind::corrupt, {"an object is out of place"}, R"({"t": {"dtype": {}}})");
  expect_refused(ErrorKind::corrupt, {"a list is out of place"}, R"({"t": {"shape": [[1]]}})");
  expect_refused(ErrorKind::corrupt, {"a text is out of place"}, R"({"t": {"shape": ["1"]}})");
  expect_refused(ErrorKind::corrupt, {"negative"}, R"({"t": {"shape": [-1]}})");
  expect_refused(ErrorKind::corrupt, {"fraction"}, R"({"t": {"shape": [1.5]}})");
  expect_refused(ErrorKind::corrupt, {"too long a list"},
                 R"({"t": {"shape": [1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]}})");
  expect_refused(ErrorKind::corrupt, {"lacks its shape"}, R"({"t": {}})");
  expect_refused(ErrorKind::corrupt, {"lacks its shape"}, entry("F32", "[1]", "[0]"));
  expect_refused(ErrorKind::corrupt, {"out of place", "__metadata__"},
                 R"({"__metadata__": {"a": 1}})");
  expect_refused(ErrorKind::corrupt, {"name has 0 bytes"}, R"({"": {}})");
  expect_refused(ErrorKind::corrupt, {"out of place"},
                 "{\"t\": {\"x\": " + std::string(100000, '['));
}

TEST(Safetensors, RefusesBadExtents) {
  expect_refused(ErrorKind::corrupt, {"cut short", "\"t\""}, entry("F32", "[17]", "[0, 68]"));
  expect_refused(ErrorKind::corrupt, {"cut short"}, entry("F32", "[1]", "[8, 4]"));
  expect_refused(ErrorKind::corrupt, {"cut short"},
                 entry("F32", "[1]", "[18446744073709551612, 18446744073709551615]"));
  expect_refused(ErrorKind::corrupt, {"8 bytes", "F32 [1]"}, entry("F32", "[1]", "[0, 8]"));
  expect_refused(ErrorKind::corrupt, {"another size"},
                 entry("F32", "[4294967296, 4294967296]", "[0, 0]"));
  expect_refused(ErrorKind::corrupt, {"another size"},
                 entry("F32", "[4611686018427387904, 4]", "[0, 0]"));
  expect_refused(ErrorKind::corrupt, {"dimension of 18446744073709551615"},
                 entry("F32", "[18446744073709551615]", "[0, 4]"));
  expect_refused(ErrorKind::corrupt, {"above 2^64", "data_offsets"},
                 entry("F32", "[1]", "[0, 18446744073709551616000]"));
  expect_refused(ErrorKind::unsupported, {"unknown type \"F7\""}, entry("F7", "[1]", "[0, 4]"));
}

TEST(Safetensors, RefusesTensorsThatShareBytesOrNames) {
  expect_refused(ErrorKind::corrupt, {"\"a\" and \"b\" share bytes"},
                 R"({"a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]},)"
                 R"("b": {"dtype": "F32", "shape": [2], "data_offsets": [4, 12]}})");
  expect_refused(ErrorKind::corrupt, {"two tensors are called \"a\""},
                 R"({"a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]},)"
                 R"("a": {"dtype": "F32", "shape": [2], "data_offsets": [8, 16]}})");
}

}  // namespace
}  // namespace cairn::checkpoint
