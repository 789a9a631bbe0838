#include "text/end_of_generation.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace cairn::text {

namespace {

bool reads_as_end(std::string_view piece) {
  static constexpr std::array<std::string_view, 18> kEnds = {
      "<|im_end|>",
      "<|eot_id|>",
      "<|eom_id|>",
      "<|end_of_text|>",
      "<|endoftext|>",
      "<|end|>",
      "<|return|>",
      "<|call|>",
      "<|EOT|>",
      "<|eot|>",
      "<end_of_turn>",
      "<turn|>",
      "<|END_OF_TURN_TOKEN|>",
      "<|end_of_turn|>",
      "<EOT>",
      "</s>",
      "<eos>",
      "<\xEF\xBD\x9C"
      "end\xE2\x96\x81of\xE2\x96\x81sentence\xEF\xBD\x9C>",  // DeepSeek
  };
  return std::find(kEnds.begin(), kEnds.end(), piece) != kEnds.end();
}

}  // namespace

void find_end_of_generation(Vocabulary& vocabulary) {
  std::vector<TokenId>& ends = vocabulary.end_of_generation;
  const auto add = [&](std::optional<TokenId> token) {
    if (token && std::find(ends.begin(), ends.end(), *token) == ends.end()) ends.push_back(*token);
  };
  add(vocabulary.eos);
  add(vocabulary.eot);
  std::vector<TokenId> found;
  bool returns = false;
  for (std::size_t i = 0; i < vocabulary.kinds.size(); ++i) {
    if (vocabulary.kinds[i] != TokenKind::control || !reads_as_end(vocabulary.pieces[i])) continue;
    found.emplace_back(static_cast<std::int32_t>(i));
    returns = returns || vocabulary.pieces[i] == "<|return|>";
  }
  for (const TokenId token : found) {
    // Where answers end with "<|return|>", "<|end|>" only ends one message of several (gpt-oss).
    const bool one_message =
        returns && vocabulary.pieces[static_cast<std::size_t>(token.value)] == "<|end|>";
    if (!one_message) add(token);
  }
}

}  // namespace cairn::text
