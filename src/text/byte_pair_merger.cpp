#include "text/byte_pair_merger.h"

namespace cairn::text {

BytePairMerger::BytePairMerger(const ByteTokens& byte_tokens, std::size_t merge_count)
    : byte_tokens_(byte_tokens),
      merges_(merge_count),
      borders_(merge_count),
      byte_merges_(std::size_t{1} << 16) {
  for (std::size_t byte = 0; byte < 256; ++byte)
    if (byte_tokens_[byte].value < 0) borders_.keep_joined(static_cast<std::uint8_t>(byte));
}

void BytePairMerger::add(TokenId left, std::string_view left_bytes, TokenId right,
                         std::string_view right_bytes, Merge merge) {
  merges_.insert(left, right, merge);
  borders_.add(left_bytes, right_bytes);
  if (left_bytes.size() != 1 || right_bytes.size() != 1) return;
  if (byte_token(left_bytes[0]) != left || byte_token(right_bytes[0]) != right) return;
  byte_merges_[pair_of(left_bytes[0], right_bytes[0])] = merges_.lookup(left, right);
}

}  // namespace cairn::text
