#include "checkpoint/safetensors.h"

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "base/error.h"
#include "checkpoint/byte_reader.h"
#include "checkpoint/gguf_types.h"
#include "checkpoint/printable.h"
#include "checkpoint/tensor_extent.h"
#include "tensor/format.h"

namespace cairn::checkpoint {
namespace {

using nlohmann::json;

constexpr std::uint64_t kLargestHeaderBytes = 100'000'000;  // the format's own limit
constexpr std::size_t kHighestRank = 16;
constexpr std::size_t kLongestName = 1024;

struct ElementType {
  std::string_view name;
  std::uint32_t bytes;
  DType dtype;  // none: cannot be a weight here
};

constexpr auto kElementTypes = std::to_array<ElementType>({
    {"F32", 4, DType::f32},
    {"F16", 2, DType::f16},
    {"BF16", 2, DType::bf16},
    {"F64", 8, DType::none},
    {"I64", 8, DType::none},
    {"U64", 8, DType::none},
    {"C64", 8, DType::none},
    {"I32", 4, DType::none},
    {"U32", 4, DType::none},
    {"I16", 2, DType::none},
    {"U16", 2, DType::none},
    {"I8", 1, DType::none},
    {"U8", 1, DType::none},
    {"BOOL", 1, DType::none},
    {"F8_E4M3", 1, DType::none},
    {"F8_E5M2", 1, DType::none},
    {"F8_E8M0", 1, DType::none},
});

struct HeaderEntry {
  std::string name;
  std::string dtype;
  std::vector<std::uint64_t> shape;
  std::vector<std::uint64_t> offsets;
  bool has_shape = false;
};

/// nlohmann's SAX interface: called for each token, in order.
class HeaderReader final : public json::json_sax_t {
 public:
  explicit HeaderReader(const std::string& file) : file_(file) {}
  std::vector<HeaderEntry> take_entries() { return std::move(entries_); }

  bool null() override { refuse("null"); }
  bool boolean(bool /*value*/) override { refuse("a boolean"); }
  bool number_integer(number_integer_t /*value*/) override { refuse("a negative number"); }
  bool number_float(number_float_t /*value*/, const string_t& /*text*/) override {
    refuse("a number with a fraction or above 2^64");
  }
  bool binary(binary_t& /*value*/) override { refuse("binary data"); }

  bool number_unsigned(number_unsigned_t value) override {
    if (list_ == nullptr) refuse("a number");
    if (list_->size() == kHighestRank) refuse("too long a list");
    list_->push_back(value);
    return true;
  }

  bool string(string_t& value) override {
    if (depth_ != 2 || list_ != nullptr) refuse("a text");
    if (in_metadata_) return true;
    if (field_ != "dtype" || !entries_.back().dtype.empty()) refuse("a text");
    entries_.back().dtype = std::move(value);
    return true;
  }

  bool start_object(std::size_t /*size*/) override {
    if (depth_ >= 2 || list_ != nullptr) refuse("an object");
    ++depth_;
    return true;
  }
  bool end_object() override {
    --depth_;
    in_metadata_ = false;
    return true;
  }

  bool start_array(std::size_t /*size*/) override {
    if (depth_ != 2 || in_metadata_ || list_ != nullptr) refuse("a list");
    HeaderEntry& entry = entries_.back();
    if (field_ == "shape" && !entry.has_shape) {
      entry.has_shape = true;
      list_ = &entry.shape;
    } else if (field_ == "data_offsets" && entry.offsets.empty()) {
      list_ = &entry.offsets;
    } else {
      refuse("a list");
    }
    return true;
  }
  bool end_array() override {
    list_ = nullptr;
    return true;
  }

  bool key(string_t& name) override {
    if (depth_ == 2) {
      field_ = std::move(name);
      return true;
    }
    in_metadata_ = name == "__metadata__";
    field_.clear();
    if (in_metadata_) return true;
    if (name.empty() || name.size() > kLongestName) {
      fail(ErrorKind::corrupt, "{}: a tensor's name has {} bytes, expected 1 to {}", file_,
           name.size(), kLongestName);
    }
    entries_.emplace_back().name = std::move(name);
    return true;
  }

  bool parse_error(std::size_t position, const std::string& token,
                   const json::exception& /*error*/) override {
    fail(ErrorKind::corrupt, "{}: the header is no valid JSON at byte {}, near \"{}\"", file_,
         position, printable(token));
  }

 private:
  [[noreturn]] void refuse(std::string_view found) const {
    const std::string_view name =
        in_metadata_ ? "__metadata__"
                     : (entries_.empty() ? "" : std::string_view(entries_.back().name));
    fail(ErrorKind::corrupt, "{}: {} is out of place in the header, at \"{}\" \"{}\"", file_, found,
         printable(name), printable(field_));
  }

  const std::string& file_;
  std::vector<HeaderEntry> entries_;
  std::vector<std::uint64_t>* list_ = nullptr;
  std::string field_;
  int depth_ = 0;
  bool in_metadata_ = false;
};

const ElementType* find_element_type(std::string_view name) {
  const auto* found = std::ranges::find(kElementTypes, name, &ElementType::name);
  return found == kElementTypes.end() ? nullptr : found;
}

std::vector<std::int64_t> checked_dimensions(const HeaderEntry& entry, const std::string& file) {
  std::vector<std::int64_t> dimensions;
  for (const std::uint64_t dimension : entry.shape) {
    if (!std::in_range<std::int64_t>(dimension)) {
      fail(ErrorKind::corrupt, "{}: tensor \"{}\" has a dimension of {}", file,
           printable(entry.name), dimension);
    }
    dimensions.push_back(static_cast<std::int64_t>(dimension));
  }
  return dimensions;
}

std::span<const std::byte> checked_extent(const HeaderEntry& entry, const std::string& file,
                                          std::span<const std::byte> data) {
  const std::string shown = printable(entry.name);
  if (!entry.has_shape || entry.offsets.size() != 2) {
    fail(ErrorKind::corrupt, "{}: tensor \"{}\" lacks its shape or its two data_offsets", file,
         shown);
  }
  const std::uint64_t begin = entry.offsets[0];
  const std::uint64_t end = entry.offsets[1];
  if (begin > end || end > data.size()) {
    fail(ErrorKind::corrupt,
         "{}: cut short: tensor \"{}\" lies at bytes {} to {} of the data, which has {}; download "
         "the file again",
         file, shown, begin, end, data.size());
  }
  return data.subspan(begin, end - begin);
}

std::string why_unusable(const ElementType& type, std::span<const std::int64_t> dimensions) {
  if (type.dtype == DType::none) {
    return fmt::format("has the type {}, which is not supported; supported are F32, F16, BF16",
                       type.name);
  }
  if (dimensions.size() > Shape::kMaxRank) {
    return fmt::format("has {} dimensions, at most {} are supported", dimensions.size(),
                       Shape::kMaxRank);
  }
  return "";
}

NamedTensor checked_tensor(HeaderEntry& entry, const std::string& file,
                           std::span<const std::byte> data) {
  NamedTensor tensor;
  tensor.bytes = checked_extent(entry, file, data);
  const std::string shown = printable(entry.name);
  const ElementType* type = find_element_type(entry.dtype);
  if (type == nullptr) {
    fail(ErrorKind::unsupported, "{}: tensor \"{}\" has the unknown type \"{}\"", file, shown,
         printable(entry.dtype));
  }
  const std::vector<std::int64_t> dimensions = checked_dimensions(entry, file);
  const auto size = extent_bytes(dimensions, 1, type->bytes);
  if (size != tensor.bytes.size()) {
    fail(ErrorKind::corrupt, "{}: tensor \"{}\" has {} bytes, but {} [{}] is another size", file,
         shown, tensor.bytes.size(), type->name, fmt::join(dimensions, ", "));
  }
  tensor.name = std::move(entry.name);
  tensor.type = type->name;
  tensor.problem = why_unusable(*type, dimensions);
  if (dimensions.size() <= Shape::kMaxRank) tensor.view.shape = make_shape(dimensions);
  tensor.view.dtype = tensor.usable() ? type->dtype : DType::none;
  tensor.view.data = tensor.bytes.data();
  return tensor;
}

}  // namespace

bool looks_like_safetensors(std::span<const std::byte> bytes) {
  std::uint64_t header_bytes = 0;
  if (bytes.size() <= sizeof(header_bytes)) return false;
  std::memcpy(&header_bytes, bytes.data(), sizeof(header_bytes));
  return header_bytes >= 2 && header_bytes <= kLargestHeaderBytes &&
         bytes[sizeof(header_bytes)] == std::byte{'{'};
}

std::vector<NamedTensor> parse_safetensors(std::span<const std::byte> bytes,
                                           const std::string& file) {
  ByteReader reader(bytes, file);
  const auto header_bytes = reader.read<std::uint64_t>("the header's length");
  if (header_bytes > kLargestHeaderBytes) {
    fail(ErrorKind::corrupt, "{}: a header of {} bytes is above safetensors' limit of {}", file,
         header_bytes, kLargestHeaderBytes);
  }
  const std::string_view header = reader.take_text(header_bytes, "the header");
  if (header.empty() || header.front() != '{') {
    fail(ErrorKind::corrupt, "{}: no safetensors file: its header does not begin with a brace",
         file);
  }
  HeaderReader handler(file);
  json::sax_parse(header.begin(), header.end(), &handler);

  const std::span<const std::byte> data = bytes.subspan(reader.position());
  std::vector<HeaderEntry> entries = handler.take_entries();
  std::vector<NamedTensor> tensors;
  tensors.reserve(entries.size());
  for (HeaderEntry& entry : entries) tensors.push_back(checked_tensor(entry, file, data));
  refuse_duplicates(tensors, file);
  refuse_overlaps(tensors, file);
  std::ranges::stable_sort(tensors, {}, [](const NamedTensor& t) { return t.bytes.data(); });
  return tensors;
}

}  // namespace cairn::checkpoint
