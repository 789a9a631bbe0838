#pragma once
// Byte tokens, whose pieces are written "<0x41>": what characters without a piece become.

#include <array>
#include <cstdint>
#include <string_view>

#include "base/ids.h"
#include "text/vocabulary.h"

namespace cairn::text {

/// The byte of "<0x41>"; -1 for any other piece.
int byte_of_piece(std::string_view piece);

/// The byte tokens of a vocabulary; -1 where it lacks one.
class ByteTokens {
 public:
  explicit ByteTokens(const Vocabulary& vocabulary);

  TokenId operator[](char byte) const { return tokens_[static_cast<std::uint8_t>(byte)]; }
  /// Whether every byte of `bytes` has its token.
  bool cover(std::string_view bytes) const;
  bool complete() const;

 private:
  std::array<TokenId, 256> tokens_;
};

}  // namespace cairn::text
