#pragma once
// What every tokenizer does around its algorithm: special tokens, BOS and EOS, limits.

#include <cstdint>
#include <string_view>
#include <vector>

#include "text/encoding.h"
#include "text/special_tokens.h"
#include "text/vocabulary.h"

namespace cairn::text {

/// Throws invalid_argument where `text` is too long for 32-bit offsets.
void check_text_size(std::string_view text);
/// Throws invalid_argument where the vocabulary has no such token.
void check_token(const Vocabulary& vocabulary, TokenId token);
TokenKind kind_of(const Vocabulary& vocabulary, TokenId token);

/// Appends one token; [begin, end) are its bytes of the text.
inline void push_token(Encoding& output, bool with_offsets, TokenId token, std::size_t begin,
                       std::size_t end) {
  output.tokens.push_back(token);
  if (with_offsets)
    output.offsets.push_back({static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)});
}

/// `on_text(part, begin)` for each stretch between special tokens (not empty), where `begin` is its
/// offset in `text`; `on_token(match)` for each of them.
template <class OnText, class OnToken>
void for_each_segment(const SpecialTokens& special, std::string_view text,
                      std::span<const TextRange> control_ranges, const OnText& on_text,
                      const OnToken& on_token) {
  std::size_t done = 0;
  while (const auto match = special.find(text, done, control_ranges)) {
    if (match->begin > done) on_text(text.substr(done, match->begin - done), done);
    on_token(*match);
    done = match->end;
  }
  if (done < text.size()) on_text(text.substr(done), done);
}

/// The frame of encode_input(): limits, BOS, special tokens, EOS. The algorithm is
/// `on_text(part, begin)`, which appends the tokens of `part`, found at `begin` of the input's
/// text.
template <class OnText>
void encode_segments(const Vocabulary& vocabulary, const SpecialTokens& special,
                     const TokenizerInput& input, Encoding& output, bool with_offsets,
                     const OnText& on_text) {
  check_text_size(input.text);
  const auto add = [&](bool wanted, std::optional<TokenId> token) {
    if (input.add_special && wanted && token) push_token(output, with_offsets, *token, 0, 0);
  };
  add(vocabulary.add_bos, vocabulary.bos);
  for_each_segment(special, input.text, input.special_ranges, on_text,
                   [&](const SpecialTokens::Match& match) {
                     push_token(output, with_offsets, match.token, match.begin, match.end);
                   });
  add(vocabulary.add_eos, vocabulary.eos);
}

}  // namespace cairn::text
