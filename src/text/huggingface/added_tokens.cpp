#include "text/huggingface/added_tokens.h"

#include <algorithm>

#include "text/huggingface/unicode.h"
#include "text/utf8.h"

namespace cairn::text::huggingface {

namespace {

constexpr std::size_t kLongestContentBytes = 4096;

AddedToken read_added_token(const Field& entry) {
  AddedToken token;
  const Field content = entry.at("content");
  if (content.text().size() > kLongestContentBytes) content.refuse("at most 4096 bytes");
  token.content = content.text();
  token.special = entry.boolean("special", false);
  token.single_word = entry.boolean("single_word", false);
  token.strip_left = entry.boolean("lstrip", false);
  token.strip_right = entry.boolean("rstrip", false);
  token.normalized = entry.boolean("normalized", !token.special);
  return token;
}

}  // namespace

std::vector<AddedToken> read_added_tokens(const Field& list) {
  std::vector<AddedToken> tokens;
  for (const Field entry : list.items()) tokens.push_back(read_added_token(entry));
  return tokens;
}

AddedTokenFinder::AddedTokenFinder(const std::vector<AddedToken>& tokens, bool normalized) {
  for (const AddedToken& token : tokens) {
    if (token.normalized != normalized || token.pattern.empty()) continue;
    entries_.push_back({token.pattern, &token});
    finds_special_ = finds_special_ || token.special;
  }
  std::stable_sort(entries_.begin(), entries_.end(),
                   [](const Entry& a, const Entry& b) { return a.pattern < b.pattern; });
  for (const Entry& entry : entries_) ++first_[static_cast<std::uint8_t>(entry.pattern[0]) + 1U];
  for (std::size_t byte = 0; byte < 256; ++byte) first_[byte + 1] += first_[byte];
}

std::pair<const AddedTokenFinder::Entry*, const AddedTokenFinder::Entry*> AddedTokenFinder::narrow(
    const Entry* low, const Entry* high, std::size_t depth, char next) const {
  const auto wanted = static_cast<std::uint8_t>(next);
  const auto byte_of = [depth](const Entry& entry) {
    return static_cast<std::uint8_t>(entry.pattern[depth]);
  };
  low = std::partition_point(low, high, [&](const Entry& e) { return byte_of(e) < wanted; });
  high = std::partition_point(low, high, [&](const Entry& e) { return byte_of(e) == wanted; });
  return {low, high};
}

bool AddedTokenFinder::stands_alone(std::string_view text, std::size_t begin, std::size_t end) {
  const auto is_word_at = [&](std::size_t at) {
    const std::string_view rest = text.substr(at);
    return is_word(decode_utf8(rest.substr(0, next_utf8(rest).size_bytes)));
  };
  const bool word_before = begin > 0 && is_word_at(last_character(text.substr(0, begin)));
  return !word_before && (end == text.size() || !is_word_at(end));
}

AddedTokenFinder::Match AddedTokenFinder::widen(const Entry& entry, std::string_view text,
                                                std::size_t begin, std::size_t done) {
  std::size_t end = begin + entry.pattern.size();
  if (entry.token->strip_left)
    begin = std::max(begin - trailing_white_space(text.substr(0, begin)), done);
  if (entry.token->strip_right) end += leading_white_space(text.substr(end));
  return {begin, end, entry.token->token};
}

}  // namespace cairn::text::huggingface
