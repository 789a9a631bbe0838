#pragma once
// What every tokenizer does around its algorithm: special tokens, BOS and EOS, limits.

#include <cstdint>
#include <string_view>
#include <vector>

#include "text/special_tokens.h"
#include "text/vocabulary.h"

namespace cairn::text {

/// Throws invalid_argument where `text` is too long for 32-bit offsets.
void check_text_size(std::string_view text);
/// Throws invalid_argument where the vocabulary has no such token.
void check_token(const Vocabulary& vocabulary, TokenId token);
TokenKind kind_of(const Vocabulary& vocabulary, TokenId token);

void append_bos(const Vocabulary& vocabulary, std::vector<TokenId>& tokens);
void append_eos(const Vocabulary& vocabulary, std::vector<TokenId>& tokens);

/// `on_text` for each stretch between special tokens (not empty), `on_token` for each of them.
template <class OnText, class OnToken>
void for_each_segment(const SpecialTokens& special, std::string_view text, const OnText& on_text,
                      const OnToken& on_token) {
  std::size_t done = 0;
  while (const auto match = special.find(text, done)) {
    if (match->begin > done) on_text(text.substr(done, match->begin - done));
    on_token(match->token);
    done = match->end;
  }
  if (done < text.size()) on_text(text.substr(done));
}

}  // namespace cairn::text
