// Any bytes are a model file or an Error; what is a model encodes any text, covers it and decodes.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/error.h"
#include "text/detokenizer.h"
#include "text/sentencepiece_model_file.h"
#include "text/tokenizer.h"

namespace cairn::text {
namespace {

constexpr EncodeOptions kPlain{.add_special = false, .parse_special = false};

void check_encoding(const Tokenizer& tokenizer, std::string_view text) {
  const Encoding encoding = tokenizer.encode_with_offsets(text, kPlain);
  CHECK(encoding.tokens == tokenizer.encode(text, kPlain), "offsets change the tokens");
  CHECK(encoding.tokens.size() == encoding.offsets.size(), "{} tokens, {} offsets",
        encoding.tokens.size(), encoding.offsets.size());
  std::uint32_t previous = 0;
  for (const TokenOffsets& range : encoding.offsets) {
    CHECK(range.begin >= previous && range.begin <= range.end && range.end <= text.size(),
          "[{}, {}) after {} of {}", range.begin, range.end, previous, text.size());
    previous = range.begin;
  }
  Detokenizer stream(tokenizer, {});
  std::string streamed;
  for (const TokenId token : encoding.tokens) streamed += stream.push(token);
  streamed += stream.finish();
  CHECK(streamed == decode(tokenizer, encoding.tokens), "the stream differs");
}

void run(std::string_view input) {
  try {
    const auto tokenizer = make_tokenizer(parse_sentencepiece_model(input, "input"));
    check_encoding(*tokenizer, "The quick\xE2\x96\x81 fox  \n\xC3\xA9\xF0\x9F\x98\x80\xFF 12 <s>");
    check_encoding(*tokenizer, input.substr(0, std::min<std::size_t>(input.size(), 500)));
    check_encoding(*tokenizer, std::string(600, 'a'));
  } catch (const Error& error) {
    CHECK(!error.message().empty(), "an error without a message");
  }
}

}  // namespace
}  // namespace cairn::text

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  cairn::text::run({reinterpret_cast<const char*>(data), size});
  return 0;
}
