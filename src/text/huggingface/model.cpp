#include "text/huggingface/model.h"

#include <fmt/format.h>

namespace cairn::text::huggingface {

void Model::encode_tokens(std::string_view word, Scratch& scratch,
                          std::vector<TokenId>& tokens) const {
  scratch.tokens.clear();
  encode(word, scratch, scratch.tokens);
  for (const TokenRange& range : scratch.tokens) tokens.push_back(range.token);
}

void Model::Scratch::shrink() {
  symbols.shrink();
  unigram.shrink();
  constexpr std::size_t usual_ranges = 1 << 16;
  if (tokens.capacity() > usual_ranges) std::vector<TokenRange>().swap(tokens);
}

TokenId find_byte_token(const PieceIndex& index, std::uint8_t byte) {
  return index.find(fmt::format("<0x{:02X}>", byte)).value_or(TokenId(-1));
}

}  // namespace cairn::text::huggingface
