#include "cli/token_list.h"

#include <fmt/format.h>

#include <charconv>

#include "base/error.h"

namespace cairn::cli {

std::vector<TokenId> parse_token_ids(std::string_view text, std::string_view source) {
  constexpr std::string_view kSeparators = ", \t\r\n";
  constexpr std::size_t kLongestShown = 20;
  std::vector<TokenId> tokens;
  std::size_t begin = text.find_first_not_of(kSeparators);
  while (begin != std::string_view::npos) {
    const std::size_t end = std::min(text.find_first_of(kSeparators, begin), text.size());
    const std::string_view word = text.substr(begin, end - begin);
    std::int32_t id = -1;
    const auto [rest, error] = std::from_chars(word.data(), word.data() + word.size(), id);
    if (error != std::errc() || rest != word.data() + word.size() || id < 0) {
      fail(ErrorKind::invalid_argument,
           "{}: entry {} is '{}', not a token id; give whole numbers between commas or blanks",
           source, tokens.size() + 1, word.substr(0, kLongestShown));
    }
    tokens.emplace_back(id);
    begin = text.find_first_not_of(kSeparators, end);
  }
  return tokens;
}

std::string format_token_ids(const std::vector<TokenId>& tokens, std::string_view separator) {
  std::string text;
  for (const TokenId token : tokens) {
    if (!text.empty()) text += separator;
    fmt::format_to(std::back_inserter(text), "{}", token.value);
  }
  return text;
}

}  // namespace cairn::cli
