#pragma once
// A JSON document as a flat list of nodes, so that a vocabulary of a million entries stays small,
// and fields that know where they stand: every complaint names the path of what is wrong.
// Immutable once parsed, thread-safe.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cairn::text::huggingface {

/// `text` in one line of at most about `most_bytes`.
std::string printable(std::string_view text, std::size_t most_bytes = 60);

enum class JsonKind : std::uint8_t { null, boolean, number, string, array, object };

class Field;

class JsonDocument {
 public:
  /// Throws corrupt, naming `file`, where `json` is none, is nested too deeply or is too long.
  JsonDocument(std::string_view json, std::string file);
  JsonDocument(const JsonDocument&) = delete;
  JsonDocument& operator=(const JsonDocument&) = delete;

  /// Fields borrow the document.
  Field root() const;
  const std::string& file() const { return file_; }

 private:
  friend class Field;
  friend class JsonReader;

  // Nodes stand in document order; a container's children follow it, up to `end`.
  struct Node {
    JsonKind kind = JsonKind::null;
    bool is_true = false;
    std::uint32_t end = 0;         // index of the node after this one's subtree
    std::uint32_t name_begin = 0;  // in `characters_`; of members of objects
    std::uint32_t name_size = 0;
    std::uint32_t text_begin = 0;
    std::uint32_t text_size = 0;
    double number = 0;
  };

  std::string_view characters(std::uint32_t begin, std::uint32_t size) const {
    return std::string_view(characters_).substr(begin, size);
  }
  std::string path_of(std::uint32_t index) const;

  std::string file_;
  std::vector<Node> nodes_;
  std::string characters_;
};

/// One value of a document. What is asked for and not found throws corrupt with file and path.
class Field {
 public:
  /// The children of an array or object, in order.
  class Iterator {
   public:
    Iterator(const JsonDocument* document, std::uint32_t index)
        : document_(document), index_(index) {}
    Field operator*() const { return {document_, index_}; }
    Iterator& operator++();
    bool operator!=(const Iterator& other) const { return index_ != other.index_; }

   private:
    const JsonDocument* document_;
    std::uint32_t index_;
  };
  struct Children {
    Iterator first;
    Iterator last;
    Iterator begin() const { return first; }
    Iterator end() const { return last; }
  };

  Field(const JsonDocument* document, std::uint32_t index) : document_(document), index_(index) {}

  JsonKind kind() const;
  bool is_null() const { return kind() == JsonKind::null; }
  std::string_view name() const;  // of a member of an object

  std::string_view text() const;
  bool boolean() const;
  double number() const;
  /// A whole number of 0 to `most`.
  std::uint32_t count(std::uint32_t most) const;
  /// The one code point of a string, as UTF-8.
  std::string_view character() const;
  Children items() const;    // of an array
  Children members() const;  // of an object
  std::size_t size() const;  // of an array or object; walks it

  /// A member of an object; absent and null are one.
  std::optional<Field> find(std::string_view member) const;
  Field at(std::string_view member) const;
  bool boolean(std::string_view member, bool otherwise) const;

  /// "normalizer.normalizers[1].pattern"
  std::string path() const { return document_->path_of(index_); }
  const std::string& file() const { return document_->file(); }
  [[noreturn]] void refuse(std::string_view expected) const;  // corrupt
  [[noreturn]] void unsupported(std::string_view reason) const;

 private:
  const JsonDocument::Node& node() const { return document_->nodes_[index_]; }
  Children children(JsonKind kind, std::string_view expected) const;
  std::string shown() const;  // the value, for messages

  const JsonDocument* document_;
  std::uint32_t index_;
};

}  // namespace cairn::text::huggingface
