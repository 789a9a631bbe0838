// Any bytes are encoded, and what is encoded comes back, whole or in pieces, with offsets or not.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "text/detokenizer.h"
#include "text/test_vocabularies.h"
#include "text/tokenizer.h"
#include "text/utf8.h"

namespace cairn::text {
namespace {

struct Subject {
  std::unique_ptr<Tokenizer> tokenizer;
  bool lossless = true;
};

void add_special_tokens(Vocabulary& vocabulary) {
  add_token(vocabulary, "<|end|>", TokenKind::control);
  add_token(vocabulary, "<|end|>>", TokenKind::control);
  add_token(vocabulary, "  ", TokenKind::user_defined);
  add_token(vocabulary, "\n\n", TokenKind::user_defined);
}

Subject byte_level(const char* pre_tokenizer) {
  Vocabulary vocabulary = byte_level_vocabulary(
      pre_tokenizer,
      {"a a", "aa aa", "a b", "\xC4\xA0 a", "\xC4\xA0 \xC4\xA0", "\xC3\x83 \xC2\xA9"});
  add_special_tokens(vocabulary);
  const bool composes = std::string_view(pre_tokenizer) == "qwen2";
  return {make_tokenizer(share(std::move(vocabulary))), !composes};
}

Subject sentence_piece() {
  const std::string mark = "\xE2\x96\x81";
  Vocabulary vocabulary = sentence_piece_vocabulary(
      {mark, "a", "b", "ab", mark + "ab", "aa", "\xC3\xA9", "a" + mark, "a" + mark + "b"});
  add_special_tokens(vocabulary);
  vocabulary.add_space_prefix = false;
  return {make_tokenizer(share(std::move(vocabulary))), true};
}

const std::array<Subject, 7>& subjects() {
  static const std::array<Subject, 7> all = {sentence_piece(),         byte_level("gpt-2"),
                                             byte_level("llama-bpe"),  byte_level("qwen2"),
                                             byte_level("gpt-4o"),     byte_level("deepseek-llm"),
                                             byte_level("deepseek-v3")};
  return all;
}

std::string bytes_of(const Tokenizer& tokenizer, const std::vector<TokenId>& tokens) {
  std::string bytes;
  for (const TokenId token : tokens) bytes += tokenizer.piece_bytes(token, true);
  return bytes;
}

/// SentencePiece reads U+2581 and the space as one.
std::string with_spaces(std::string text) {
  constexpr std::string_view kMark = "\xE2\x96\x81";
  for (std::size_t at = 0; (at = text.find(kMark, at)) != std::string::npos; ++at)
    text.replace(at, kMark.size(), " ");
  return text;
}

void check_offsets(const Tokenizer& tokenizer, std::string_view text,
                   const std::vector<TokenId>& tokens, EncodeOptions options) {
  const Encoding encoding = tokenizer.encode_with_offsets(text, options);
  CHECK(encoding.tokens == tokens && encoding.offsets.size() == tokens.size(), "{}", text);
  std::uint32_t last = 0;
  for (const TokenOffsets& token : encoding.offsets) {
    CHECK(last <= token.begin && token.begin <= token.end && token.end <= text.size(), "{}", text);
    last = token.begin;
  }
}

/// No border between pieces changes what the text says; content gives no control token.
void check_pieces(const Subject& subject, std::string_view text) {
  const std::size_t middle = text.size() / 2;
  const std::array<PromptPiece, 2> pieces = {PromptPiece{std::string(text.substr(0, middle)), true},
                                             PromptPiece{std::string(text.substr(middle)), false}};
  const auto tokens = subject.tokenizer->encode_pieces(pieces, false);
  const std::string bytes = bytes_of(*subject.tokenizer, tokens);
  if (subject.lossless) CHECK(with_spaces(bytes) == with_spaces(std::string(text)), "{}", bytes);
  const auto content = subject.tokenizer->encode_pieces(std::span(&pieces[1], 1), false);
  CHECK(content == subject.tokenizer->encode(pieces[1].text, {.add_special = false}), "{}", text);
}

void run(std::uint8_t choice, std::string_view text) {
  const Subject& subject = subjects()[choice % subjects().size()];
  const Tokenizer& tokenizer = *subject.tokenizer;
  const bool parse_special = (choice & 0x80U) != 0;
  const EncodeOptions options{.add_special = false, .parse_special = parse_special};
  const auto tokens = tokenizer.encode(text, options);
  check_offsets(tokenizer, text, tokens, options);
  check_pieces(subject, text);
  const std::string bytes = bytes_of(tokenizer, tokens);
  if (subject.lossless) CHECK(with_spaces(bytes) == with_spaces(std::string(text)), "{}", bytes);
  const std::string decoded = decode(tokenizer, tokens, true);
  CHECK(valid_utf8_prefix(decoded) == decoded.size(), "{}", decoded);
}

}  // namespace
}  // namespace cairn::text

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const auto* bytes = reinterpret_cast<const char*>(data);
  cairn::text::run(data[0], std::string_view(bytes + 1, size - 1));
  return 0;
}
