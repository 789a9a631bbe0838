#include "text/protobuf_reader.h"

#include <bit>

#include "base/error.h"

namespace cairn::text {

void ProtobufField::check(Type expected) const {
  if (type_ != expected)
    fail(ErrorKind::corrupt, "{}: field {} has wire type {}, expected {}", where_, number_,
         static_cast<int>(type_), static_cast<int>(expected));
}

std::uint64_t ProtobufField::integer() const {
  check(Type::varint);
  return integer_;
}

std::string_view ProtobufField::bytes() const {
  check(Type::bytes);
  return bytes_;
}

float ProtobufField::number_float() const {
  check(Type::fixed32);
  return std::bit_cast<float>(static_cast<std::uint32_t>(integer_));
}

void ProtobufReader::fail_at(std::string_view what) const {
  fail(ErrorKind::corrupt, "{}: byte {}: {}; get the file anew", where_, size_bytes_ - rest_.size(),
       what);
}

std::optional<ProtobufField> ProtobufReader::next() {
  if (rest_.empty()) return std::nullopt;
  const std::uint64_t key = read_varint();
  constexpr std::uint64_t highest_number = (1U << 29) - 1;
  if (key >> 3 == 0 || key >> 3 > highest_number) fail_at("this is no field of a message");
  ProtobufField field;
  field.where_ = where_;
  field.number_ = static_cast<std::uint32_t>(key >> 3);
  field.type_ = static_cast<ProtobufField::Type>(key & 7);
  switch (field.type_) {
    case ProtobufField::Type::varint:
      field.integer_ = read_varint();
      return field;
    case ProtobufField::Type::fixed64:
      field.integer_ = read_fixed(8);
      return field;
    case ProtobufField::Type::fixed32:
      field.integer_ = read_fixed(4);
      return field;
    case ProtobufField::Type::bytes: {
      const std::uint64_t size_bytes = read_varint();
      if (size_bytes > rest_.size()) fail_at("a field is longer than what is left");
      field.bytes_ = rest_.substr(0, size_bytes);
      rest_.remove_prefix(size_bytes);
      return field;
    }
  }
  fail_at("a field has an unknown wire type");
}

std::uint64_t ProtobufReader::read_varint() {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    if (rest_.empty()) fail_at("the message ends within a number");
    const auto byte = static_cast<std::uint8_t>(rest_.front());
    rest_.remove_prefix(1);
    value |= std::uint64_t{byte & 0x7FU} << shift;
    if (byte < 0x80) return value;
  }
  fail_at("a number has more than ten bytes");
}

std::uint64_t ProtobufReader::read_fixed(std::size_t size_bytes) {
  if (rest_.size() < size_bytes) fail_at("the message ends within a number");
  std::uint64_t value = 0;
  for (std::size_t i = size_bytes; i-- > 0;)
    value = value << 8 | static_cast<std::uint8_t>(rest_[i]);
  rest_.remove_prefix(size_bytes);
  return value;
}

}  // namespace cairn::text
