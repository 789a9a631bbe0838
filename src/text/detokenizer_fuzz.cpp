// Any tokens and any stop strings: the stream is valid UTF-8 and equals what the definition gives
// for the whole text at once.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "text/detokenizer.h"
#include "text/test_vocabularies.h"
#include "text/tokenizer.h"
#include "text/utf8.h"

namespace cairn::text {
namespace {

const Tokenizer& subject(bool sentence_piece) {
  static const auto with_prefix =
      make_tokenizer(share(sentence_piece_vocabulary({"\xE2\x96\x81",
                                                      "\xE2\x96\x81"
                                                      "a",
                                                      "\xC3\xA9", "ab"})));
  static const auto byte_level = make_tokenizer(share(
      byte_level_vocabulary("gpt-2", {"\xC4\xA0 a", "\xC3\xB0 \xC5\x81", "\xC3\xA2 \xC4\xA2"})));
  return sentence_piece ? *with_prefix : *byte_level;
}

/// What comes before the stop string that is complete first, the longest of those.
std::string cut_at_stop(const std::string& text, const std::vector<std::string>& stops) {
  for (std::size_t end = 1; end <= text.size(); ++end) {
    std::size_t longest = 0;
    for (const std::string& stop : stops) {
      const bool here = std::string_view(text).substr(0, end).ends_with(stop);
      if (here) longest = std::max(longest, stop.size());
    }
    if (longest > 0) return text.substr(0, end - longest);
  }
  return text;
}

/// Eats a length and that many bytes.
std::string take(std::string_view& data) {
  if (data.empty()) return {};
  const std::size_t size = static_cast<std::uint8_t>(data.front()) % 6U;
  std::string taken(data.substr(1, size));
  data.remove_prefix(std::min(size + 1, data.size()));
  return taken;
}

void run(std::string_view data) {
  if (data.empty()) return;
  const auto choice = static_cast<std::uint8_t>(data.front());
  data.remove_prefix(1);
  const Tokenizer& tokenizer = subject((choice & 1U) != 0);
  const bool show_control = (choice & 2U) != 0;
  std::vector<std::string> stops;
  for (unsigned i = choice >> 6; i > 0; --i) stops.push_back(take(data));
  const std::size_t count = tokenizer.vocabulary().pieces.size();
  std::vector<TokenId> tokens;
  for (std::size_t i = 0; i + 1 < data.size(); i += 2) {
    const auto number = static_cast<std::size_t>(static_cast<std::uint8_t>(data[i])) * 2 +
                        static_cast<std::uint8_t>(data[i + 1]) % 2U;
    tokens.emplace_back(static_cast<std::int32_t>(number % count));
  }
  Detokenizer detokenizer(tokenizer, stops, show_control);
  std::string stream;
  for (const TokenId token : tokens) {
    const std::string part = detokenizer.push(token);
    CHECK(valid_utf8_prefix(part) == part.size(), "{}", part);
    stream += part;
  }
  stream += detokenizer.finish();
  for (std::string& stop : stops) {
    std::string text;
    move_utf8(stop, text, true);
    stop = text;
  }
  const std::string expected = cut_at_stop(decode(tokenizer, tokens, show_control), stops);
  CHECK(stream == expected, "'{}' is not '{}'", stream, expected);
}

}  // namespace
}  // namespace cairn::text

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  cairn::text::run(std::string_view(reinterpret_cast<const char*>(data), size));
  return 0;
}
