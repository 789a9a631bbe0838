#pragma once
// The fields of one protobuf message, in the order they stand. Reads untrusted bytes: every length
// is checked, nothing is copied. Messages within are bytes, for another reader. Not thread-safe.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace cairn::text {

class ProtobufReader;

/// One field. The accessors throw corrupt where its wire type is another.
class ProtobufField {
 public:
  std::uint32_t number() const { return number_; }
  std::uint64_t integer() const;  // wire type 0
  bool boolean() const { return integer() != 0; }
  std::string_view bytes() const;  // wire type 2: texts, bytes and messages
  float number_float() const;      // wire type 5

 private:
  friend class ProtobufReader;
  enum class Type : std::uint8_t { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 };
  void check(Type expected) const;

  std::string_view where_;
  std::uint32_t number_ = 0;
  Type type_ = Type::varint;
  std::uint64_t integer_ = 0;
  std::string_view bytes_;
};

class ProtobufReader {
 public:
  /// `where` names the message in errors; both must outlive the reader and its fields.
  ProtobufReader(std::string_view message, std::string_view where)
      : rest_(message), where_(where), size_bytes_(message.size()) {}

  /// The next field, or nothing at the end. Throws corrupt where there is no field.
  std::optional<ProtobufField> next();

 private:
  std::uint64_t read_varint();
  std::uint64_t read_fixed(std::size_t size_bytes);
  [[noreturn]] void fail_at(std::string_view what) const;

  std::string_view rest_;
  std::string_view where_;
  std::size_t size_bytes_;
};

}  // namespace cairn::text
