// A tokenizer.json of any kind is read or refused; what is read takes any text. The input is the
// file, a zero byte, the text.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "base/error.h"
#include "text/detokenizer.h"
#include "text/huggingface/tokenizer_file.h"
#include "text/utf8.h"

namespace cairn::text::huggingface {
namespace {

constexpr std::size_t kLongestTextBytes = 512;

void check_encoding(const Tokenizer& tokenizer, std::string_view text, EncodeOptions options) {
  const Encoding encoding = tokenizer.encode_with_offsets(text, options);
  CHECK(encoding.offsets.size() == encoding.tokens.size(), "{} offsets, {} tokens",
        encoding.offsets.size(), encoding.tokens.size());
  for (const TokenOffsets& offset : encoding.offsets)
    CHECK(offset.begin <= offset.end && offset.end <= text.size(), "[{}, {}) of {}", offset.begin,
          offset.end, text.size());
  CHECK(tokenizer.encode(text, options) == encoding.tokens, "offsets change the tokens");
  for (const bool show_control : {false, true}) {
    const std::string decoded = decode(tokenizer, encoding.tokens, show_control);
    CHECK(valid_utf8_prefix(decoded) == decoded.size(), "{}", decoded);
  }
}

void run(std::string_view input) {
  const std::size_t end = std::min(input.find('\0'), input.size());
  const std::string_view text =
      input.substr(std::min(end + 1, input.size())).substr(0, kLongestTextBytes);
  try {
    const auto tokenizer = read_tokenizer(input.substr(0, end), "", "");
    check_encoding(*tokenizer, text, {.add_special = true, .parse_special = true});
    check_encoding(*tokenizer, text, {.add_special = false, .parse_special = false});
  } catch (const Error& error) {
    CHECK(error.message().find('\n') == std::string::npos, "{}", error.message());
  }
}

}  // namespace
}  // namespace cairn::text::huggingface

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto* bytes = reinterpret_cast<const char*>(data);
  cairn::text::huggingface::run(std::string_view(bytes, size));
  return 0;
}
