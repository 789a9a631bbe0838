#include "text/special_tokens.h"

#include <algorithm>

#include "text/utf8.h"

namespace cairn::text {

namespace {

std::size_t white_space_begin(std::string_view text, std::size_t from, std::size_t end) {
  while (end > from) {
    std::size_t begin = end - 1;
    while (begin > from && (static_cast<std::uint8_t>(text[begin]) & 0xC0U) == 0x80) --begin;
    const std::string_view character = text.substr(begin, end - begin);
    if (valid_utf8_prefix(character) != character.size()) break;
    if (!is_white_space(decode_utf8(character))) break;
    end = begin;
  }
  return end;
}

std::size_t white_space_end(std::string_view text, std::size_t begin) {
  while (begin < text.size()) {
    const Utf8Sequence next = next_utf8(text.substr(begin));
    if (next.status != Utf8Status::valid) break;
    if (!is_white_space(decode_utf8(text.substr(begin, next.size_bytes)))) break;
    begin += next.size_bytes;
  }
  return begin;
}

bool contains(const std::vector<TokenId>& tokens, TokenId token) {
  return std::find(tokens.begin(), tokens.end(), token) != tokens.end();
}

}  // namespace

SpecialTokens::SpecialTokens(const Vocabulary& vocabulary, bool with_user_defined) {
  for (std::size_t i = 0; i < vocabulary.kinds.size(); ++i) {
    const TokenKind kind = vocabulary.kinds[i];
    const bool is_control = kind == TokenKind::control || kind == TokenKind::unknown;
    const bool is_wanted = with_user_defined && kind == TokenKind::user_defined;
    if (!is_wanted && !is_control) continue;
    if (vocabulary.pieces[i].empty()) continue;
    const TokenId token(static_cast<std::int32_t>(i));
    entries_.push_back({vocabulary.pieces[i], token, is_control,
                        contains(vocabulary.strip_left, token),
                        contains(vocabulary.strip_right, token)});
    const auto lead = static_cast<std::uint8_t>(vocabulary.pieces[i][0]);
    begins_any_[lead] = true;
    if (is_control) continue;
    begins_user_defined_[lead] = true;
    has_user_defined_ = true;
  }
  std::stable_sort(entries_.begin(), entries_.end(),
                   [](const Entry& a, const Entry& b) { return a.piece < b.piece; });
  for (const Entry& entry : entries_) ++first_[static_cast<std::uint8_t>(entry.piece[0]) + 1U];
  for (std::size_t byte = 0; byte < 256; ++byte) first_[byte + 1] += first_[byte];
}

const SpecialTokens::Entry* SpecialTokens::match_at(
    std::string_view text, std::size_t begin, std::span<const TextRange> control_ranges) const {
  const std::size_t lead = static_cast<std::uint8_t>(text[begin]);
  auto low = entries_.begin() + first_[lead];
  auto high = entries_.begin() + first_[lead + 1];
  const Entry* longest = nullptr;
  // Invariant: [low, high) are the entries whose first `depth` bytes equal the text's.
  for (std::size_t depth = 1; low != high; ++depth) {
    bool found = false;  // of equal pieces the first counts
    for (; low != high && low->piece.size() == depth; ++low) {
      if (found || (low->is_control && !holds_range(control_ranges, begin, begin + depth)))
        continue;
      longest = &*low;
      found = true;
    }
    if (begin + depth == text.size()) break;
    const auto next = static_cast<std::uint8_t>(text[begin + depth]);
    const auto byte_of = [depth](const Entry& entry) {
      return static_cast<std::uint8_t>(entry.piece[depth]);
    };
    low = std::partition_point(low, high, [&](const Entry& e) { return byte_of(e) < next; });
    high = std::partition_point(low, high, [&](const Entry& e) { return byte_of(e) == next; });
  }
  return longest;
}

std::optional<SpecialTokens::Match> SpecialTokens::find(
    std::string_view text, std::size_t from, std::span<const TextRange> control_ranges) const {
  if (control_ranges.empty() && !has_user_defined_) return std::nullopt;
  const std::array<bool, 256>& begins = control_ranges.empty() ? begins_user_defined_ : begins_any_;
  for (std::size_t begin = from; begin < text.size(); ++begin) {
    if (!begins[static_cast<std::uint8_t>(text[begin])]) continue;
    const Entry* entry = match_at(text, begin, control_ranges);
    if (entry == nullptr) continue;
    const std::size_t end = begin + entry->piece.size();
    return Match{entry->strips_left ? white_space_begin(text, from, begin) : begin,
                 entry->strips_right ? white_space_end(text, end) : end, entry->token};
  }
  return std::nullopt;
}

}  // namespace cairn::text
