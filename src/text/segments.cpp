#include "text/segments.h"

#include "base/error.h"

namespace cairn::text {

void check_text_size(std::string_view text) {
  constexpr std::size_t longest_bytes = std::size_t{1} << 30;  // grows under some normalizations
  if (text.size() > longest_bytes)
    fail(ErrorKind::invalid_argument, "text has {} bytes, at most {} can be tokenized at once",
         text.size(), longest_bytes);
}

void check_token(const Vocabulary& vocabulary, TokenId token) {
  if (token.value < 0 || static_cast<std::size_t>(token.value) >= vocabulary.pieces.size())
    fail(ErrorKind::invalid_argument, "token {} is not in the vocabulary of {} tokens", token.value,
         vocabulary.pieces.size());
}

TokenKind kind_of(const Vocabulary& vocabulary, TokenId token) {
  if (vocabulary.kinds.empty()) return TokenKind::normal;
  return vocabulary.kinds[static_cast<std::size_t>(token.value)];
}

}  // namespace cairn::text
