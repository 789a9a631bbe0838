#pragma once
// Text on its way through a tokenizer's stages, with the source bytes that each of its bytes came
// from where somebody wants to know.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "text/encoding.h"

namespace cairn::text::huggingface {

struct AlignedText {
  std::string text;                   // valid UTF-8
  std::vector<TokenOffsets> sources;  // by byte of `text`; empty where nobody asked
};

/// A change that makes a text much longer than any model's does is refused.
inline constexpr std::size_t kMostGrowth = 32;
inline constexpr std::size_t kFreeGrowthBytes = 64 * 1024;

/// Writes a changed text from beginning to end, with the alignment that the `tokenizers` library
/// gives each kind of change: what replaces a character has its source; what is inserted has the
/// source of the character consumed before it; what is removed leaves none.
class Rewriter {
 public:
  /// Appends to `target` what becomes of bytes [begin, end) of `source`. Both must outlive this.
  /// Writing throws unsupported where the text grows too long.
  Rewriter(const AlignedText& source, std::uint32_t begin, std::uint32_t end, AlignedText& target);

  std::string_view old_text() const { return old_; }

  /// The next `size_bytes` of the old text (whole characters) as they are.
  void keep(std::size_t size_bytes);
  /// `character` stands for the next old one.
  void replace(std::string_view character);
  void insert(std::string_view characters);
  /// The next old character leaves nothing.
  void remove();
  /// `character` stands for the next 1 - `change` old ones; none if `change` is 1.
  void put(std::string_view character, int change);
  /// Before everything else: `prefix`, with the source of the first character.
  void insert_before(std::string_view prefix);
  /// The same, and the rest of the text as it is.
  void prepend(std::string_view prefix);

 private:
  TokenOffsets here() const;
  void append(std::string_view characters, TokenOffsets source);

  std::string_view old_;
  const TokenOffsets* sources_ = nullptr;
  AlignedText& target_;
  std::size_t most_bytes_;    // of the target
  std::size_t position_ = 0;  // in the old text
};

/// Every byte of the text as its character in GPT-2's alphabet.
void write_byte_alphabet(Rewriter& rewriter);

}  // namespace cairn::text::huggingface
