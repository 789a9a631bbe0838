#include "checkpoint/gguf.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <string_view>
#include <utility>

#include "base/checked.h"
#include "base/error.h"
#include "checkpoint/byte_reader.h"
#include "checkpoint/gguf_types.h"
#include "checkpoint/printable.h"
#include "checkpoint/tensor_extent.h"
#include "tensor/format.h"

namespace cairn::checkpoint {
namespace {

constexpr std::string_view kMagic = "GGUF";
constexpr std::uint32_t kOldestVersion = 2;
constexpr std::uint32_t kNewestVersion = 3;
constexpr std::uint64_t kDefaultAlignment = 32;
constexpr std::uint64_t kLargestAlignment = std::uint64_t{1} << 20;
constexpr std::uint64_t kLongestKey = 65535;
constexpr std::uint64_t kLongestText = std::uint64_t{1} << 28;
constexpr std::uint64_t kLongestList = std::uint64_t{1} << 24;
constexpr std::uint64_t kLongestTensorName = 63;
// The least bytes an entry can take: counts above what is left divided by these are lies.
constexpr std::uint64_t kLeastKeyBytes = 8 + 1 + 4 + 1;
constexpr std::uint64_t kLeastTextBytes = 8;  // its size
constexpr std::uint64_t kLeastTensorBytes = 8 + 1 + 4 + 4 + 8;

// By id.
enum class ValueType : std::uint32_t {
  u8 = 0,
  i8 = 1,
  u16 = 2,
  i16 = 3,
  u32 = 4,
  i32 = 5,
  f32 = 6,
  boolean = 7,
  text = 8,
  list = 9,
  u64 = 10,
  i64 = 11,
  f64 = 12,
};

struct TensorEntry {
  std::string name;
  std::vector<std::int64_t> dimensions;  // outermost first
  const tensor::GgufType* type = nullptr;
  std::uint64_t offset = 0;
  std::uint64_t size_bytes = 0;
};

class Parser {
 public:
  Parser(std::span<const std::byte> bytes, const std::string& file)
      : bytes_(bytes), file_(file), reader_(bytes, file), content_{Metadata(file), {}} {}

  GgufContent parse() {
    read_header();
    for (std::uint64_t i = 0; i < key_count_; ++i) read_key();
    entries_.reserve(tensor_count_);
    for (std::uint64_t i = 0; i < tensor_count_; ++i) entries_.push_back(read_tensor_entry());
    place_tensors();
    refuse_duplicates(content_.tensors, file_);
    refuse_overlaps(content_.tensors, file_);
    return std::move(content_);
  }

 private:
  void read_header();
  void read_key();
  std::string_view read_text(std::string_view what, std::uint64_t limit);
  bool read_boolean(std::string_view key);
  MetadataValue read_value(std::uint32_t type, const std::string& key);
  MetadataValue read_list(const std::string& key);
  TensorEntry read_tensor_entry();
  std::uint64_t alignment() const;
  void place_tensors();

  template <class Item, class Stored>
  MetadataValue read_numbers(std::uint64_t count, const std::string& key) {
    const auto size = base::checked_multiply<std::uint64_t>(count, sizeof(Item));
    const auto data = reader_.take(size.value_or(~std::uint64_t{0}), key);
    std::vector<Stored> list(count);
    for (std::size_t i = 0; i < count; ++i) {
      Item item{};
      std::memcpy(&item, data.data() + i * sizeof(Item), sizeof(Item));
      if constexpr (std::integral<Item>) {
        if (!std::in_range<Stored>(item)) {
          fail(ErrorKind::unsupported, "{}: \"{}\"[{}] is {}, lists go up to 2^63 - 1", file_, key,
               i, item);
        }
      }
      // NOLINTNEXTLINE(bugprone-signed-char-misuse): numbers of one byte, not characters.
      list[i] = static_cast<Stored>(item);
    }
    return list;
  }

  std::span<const std::byte> bytes_;
  const std::string& file_;
  ByteReader reader_;
  GgufContent content_;
  std::uint64_t tensor_count_ = 0;
  std::uint64_t key_count_ = 0;
  std::vector<TensorEntry> entries_;
};

void Parser::read_header() {
  if (reader_.take_text(kMagic.size(), "the magic number") != kMagic) {
    fail(ErrorKind::corrupt, "{}: no GGUF file: it does not begin with \"GGUF\"", file_);
  }
  const auto version = reader_.read<std::uint32_t>("the version");
  if ((version & 0xFFFFU) == 0 && version != 0) {
    fail(ErrorKind::unsupported,
         "{}: a big-endian GGUF file; get the little-endian one, or convert it", file_);
  }
  if (version < kOldestVersion || version > kNewestVersion) {
    fail(ErrorKind::unsupported,
         "{}: GGUF version {}, versions {} to {} can be read; convert the model anew", file_,
         version, kOldestVersion, kNewestVersion);
  }
  tensor_count_ = reader_.read<std::uint64_t>("the tensor count");
  key_count_ = reader_.read<std::uint64_t>("the key count");
  if (tensor_count_ > reader_.remaining() / kLeastTensorBytes ||
      key_count_ > reader_.remaining() / kLeastKeyBytes) {
    fail(ErrorKind::corrupt,
         "{}: {} tensors and {} keys cannot lie in a file of {} bytes; download the file again",
         file_, tensor_count_, key_count_, bytes_.size());
  }
}

std::string_view Parser::read_text(std::string_view what, std::uint64_t limit) {
  const auto size = reader_.read<std::uint64_t>(what);
  if (size > limit) {
    fail(ErrorKind::corrupt, "{}: {} has {} bytes, at most {} are allowed", file_, what, size,
         limit);
  }
  return reader_.take_text(size, what);
}

void Parser::read_key() {
  std::string key(read_text("a key", kLongestKey));
  if (key.empty()) {
    fail(ErrorKind::corrupt, "{}: an empty key before byte {}", file_, reader_.position());
  }
  const auto type = reader_.read<std::uint32_t>("a value's type");
  const std::string shown = printable(key);
  MetadataValue value =
      static_cast<ValueType>(type) == ValueType::list ? read_list(shown) : read_value(type, shown);
  if (!content_.metadata.insert(std::move(key), std::move(value))) {
    fail(ErrorKind::corrupt, "{}: the key \"{}\" occurs twice", file_, shown);
  }
}

bool Parser::read_boolean(std::string_view key) {
  const auto byte = reader_.read<std::uint8_t>(key);
  if (byte > 1) fail(ErrorKind::corrupt, "{}: \"{}\" is {}, a boolean is 0 or 1", file_, key, byte);
  return byte == 1;
}

MetadataValue Parser::read_value(std::uint32_t type, const std::string& key) {
  switch (static_cast<ValueType>(type)) {
    case ValueType::u8:
      return std::uint64_t{reader_.read<std::uint8_t>(key)};
    case ValueType::i8:
      return std::int64_t{reader_.read<std::int8_t>(key)};
    case ValueType::u16:
      return std::uint64_t{reader_.read<std::uint16_t>(key)};
    case ValueType::i16:
      return std::int64_t{reader_.read<std::int16_t>(key)};
    case ValueType::u32:
      return std::uint64_t{reader_.read<std::uint32_t>(key)};
    case ValueType::i32:
      return std::int64_t{reader_.read<std::int32_t>(key)};
    case ValueType::f32:
      return double{reader_.read<float>(key)};
    case ValueType::boolean:
      return read_boolean(key);
    case ValueType::text:
      return std::string(read_text(key, kLongestText));
    case ValueType::u64:
      return reader_.read<std::uint64_t>(key);
    case ValueType::i64:
      return reader_.read<std::int64_t>(key);
    case ValueType::f64:
      return reader_.read<double>(key);
    case ValueType::list:
      break;
  }
  fail(ErrorKind::corrupt, "{}: \"{}\" has the value type {}, which GGUF does not know", file_, key,
       type);
}

MetadataValue Parser::read_list(const std::string& key) {
  const auto type = reader_.read<std::uint32_t>(key);
  const auto count = reader_.read<std::uint64_t>(key);
  // Every item takes a byte at least.
  if (count > kLongestList || count > reader_.remaining()) {
    fail(ErrorKind::corrupt, "{}: \"{}\" has {} items; {} bytes are left, and {} items the limit",
         file_, key, count, reader_.remaining(), kLongestList);
  }
  switch (static_cast<ValueType>(type)) {
    case ValueType::u8:
      return read_numbers<std::uint8_t, std::int64_t>(count, key);
    case ValueType::i8:
      return read_numbers<std::int8_t, std::int64_t>(count, key);
    case ValueType::u16:
      return read_numbers<std::uint16_t, std::int64_t>(count, key);
    case ValueType::i16:
      return read_numbers<std::int16_t, std::int64_t>(count, key);
    case ValueType::u32:
      return read_numbers<std::uint32_t, std::int64_t>(count, key);
    case ValueType::i32:
      return read_numbers<std::int32_t, std::int64_t>(count, key);
    case ValueType::f32:
      return read_numbers<float, double>(count, key);
    case ValueType::u64:
      return read_numbers<std::uint64_t, std::int64_t>(count, key);
    case ValueType::i64:
      return read_numbers<std::int64_t, std::int64_t>(count, key);
    case ValueType::f64:
      return read_numbers<double, double>(count, key);
    case ValueType::boolean: {
      std::vector<bool> list(count);
      for (std::size_t i = 0; i < count; ++i) list[i] = read_boolean(key);
      return list;
    }
    case ValueType::text: {
      std::vector<std::string> list;
      list.reserve(std::min(count, reader_.remaining() / kLeastTextBytes));
      for (std::uint64_t i = 0; i < count; ++i) list.emplace_back(read_text(key, kLongestText));
      return list;
    }
    case ValueType::list:
      fail(ErrorKind::unsupported, "{}: \"{}\" is a list of lists, which cannot be read", file_,
           key);
  }
  fail(ErrorKind::corrupt, "{}: \"{}\" has the item type {}, which GGUF does not know", file_, key,
       type);
}

TensorEntry Parser::read_tensor_entry() {
  TensorEntry entry;
  entry.name = read_text("a tensor's name", kLongestTensorName);
  const std::string shown = printable(entry.name);
  if (entry.name.empty()) fail(ErrorKind::corrupt, "{}: a tensor without a name", file_);
  const auto rank = reader_.read<std::uint32_t>(shown);
  if (rank > Shape::kMaxRank) {
    fail(ErrorKind::corrupt, "{}: tensor \"{}\" has {} dimensions, at most {} are allowed", file_,
         shown, rank, Shape::kMaxRank);
  }
  for (std::uint32_t axis = 0; axis < rank; ++axis) {
    entry.dimensions.push_back(reader_.read<std::int64_t>(shown));
    if (entry.dimensions.back() <= 0) {
      fail(ErrorKind::corrupt, "{}: tensor \"{}\" has a dimension of {}, expected 1 or more", file_,
           shown, entry.dimensions.back());
    }
  }
  std::ranges::reverse(entry.dimensions);
  const auto type_id = reader_.read<std::uint32_t>(shown);
  entry.type = tensor::find_gguf_type(type_id);
  if (entry.type == nullptr || entry.type->values_per_block == 0) {
    fail(ErrorKind::unsupported, "{}: tensor \"{}\" has the type {}; supported are {}", file_,
         shown, describe_unknown_gguf_type(type_id), supported_formats());
  }
  entry.offset = reader_.read<std::uint64_t>(shown);
  const auto size =
      extent_bytes(entry.dimensions, entry.type->values_per_block, entry.type->bytes_per_block);
  if (!size) {
    fail(ErrorKind::corrupt,
         "{}: tensor \"{}\" [{}] is too large, or its rows are no multiple of the {} values in a "
         "block of {}",
         file_, shown, fmt::join(entry.dimensions, ", "), entry.type->values_per_block,
         entry.type->name);
  }
  entry.size_bytes = *size;
  return entry;
}

std::uint64_t Parser::alignment() const {
  const auto found = content_.metadata.integer("general.alignment");
  if (!found) return kDefaultAlignment;
  const auto value = static_cast<std::uint64_t>(*found);
  if (!std::has_single_bit(value) || value > kLargestAlignment) {
    fail(ErrorKind::corrupt, "{}: \"general.alignment\" is {}, expected a power of two up to {}",
         file_, *found, kLargestAlignment);
  }
  return value;
}

void Parser::place_tensors() {
  const std::uint64_t unit = alignment();
  if (entries_.empty()) return;
  const auto start = base::checked_align(reader_.position(), unit);
  if (!start || *start > bytes_.size()) {
    fail(ErrorKind::corrupt, "{}: cut short before its tensors' data; download the file again",
         file_);
  }
  const std::span<const std::byte> data = bytes_.subspan(*start);
  for (TensorEntry& entry : entries_) {
    const std::string shown = printable(entry.name);
    if (entry.offset % unit != 0) {
      fail(ErrorKind::corrupt, "{}: tensor \"{}\" begins at {}, which is no multiple of {}", file_,
           shown, entry.offset, unit);
    }
    if (entry.offset > data.size() || entry.size_bytes > data.size() - entry.offset) {
      fail(ErrorKind::corrupt,
           "{}: cut short: tensor \"{}\" needs {} bytes from byte {} of the data, which has {}; "
           "download the file again",
           file_, shown, entry.size_bytes, entry.offset, data.size());
    }
    NamedTensor tensor;
    tensor.name = std::move(entry.name);
    tensor.type = entry.type->name;
    tensor.bytes = data.subspan(entry.offset, entry.size_bytes);
    const tensor::Format* format = entry.type->format;
    tensor.view = {format == nullptr ? DType::none : format->dtype, make_shape(entry.dimensions),
                   tensor.bytes.data()};
    if (format == nullptr) {
      tensor.problem = fmt::format("has the type {}, which is not supported; supported are {}",
                                   entry.type->name, supported_formats());
    }
    content_.tensors.push_back(std::move(tensor));
  }
}

}  // namespace

bool looks_like_gguf(std::span<const std::byte> bytes) {
  return bytes.size() >= kMagic.size() &&
         std::memcmp(bytes.data(), kMagic.data(), kMagic.size()) == 0;
}

GgufContent parse_gguf(std::span<const std::byte> bytes, const std::string& file) {
  return Parser(bytes, file).parse();
}

}  // namespace cairn::checkpoint
