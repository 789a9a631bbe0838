#include "text/detokenizer.h"

#include <algorithm>

#include "text/utf8.h"

namespace cairn::text {

Detokenizer::Detokenizer(const Tokenizer& tokenizer, std::vector<std::string> stop_strings,
                         bool show_control)
    : tokenizer_(tokenizer), show_control_(show_control) {
  for (std::string& stop : stop_strings) {
    if (stop.empty()) continue;
    // The text is valid UTF-8: bytes of half a character would match within characters.
    move_utf8(stop, stop_strings_.emplace_back(), true);
  }
}

std::string Detokenizer::push(TokenId token) {
  if (stopped_) return {};
  const std::size_t before = bytes_.size();
  tokenizer_.decode_next(token, show_control_, state_, bytes_);
  return bytes_.size() == before ? std::string() : release(false);
}

std::string Detokenizer::finish() {
  return stopped_ ? std::string() : release(true);
}

std::string Detokenizer::release(bool at_end) {
  move_utf8(bytes_, held_, at_end);
  std::size_t size_bytes = held_.size();
  if (find_stop(size_bytes)) {
    stopped_ = true;
  } else if (!at_end) {
    size_bytes -= undecided_suffix();
  }
  std::string text = held_.substr(0, size_bytes);
  held_.erase(0, stopped_ ? std::string::npos : size_bytes);
  return text;
}

/// The stop string that is complete first in the held text, the longest of those: where it begins.
bool Detokenizer::find_stop(std::size_t& begin) {
  std::size_t best_end = std::string::npos;
  for (const std::string& stop : stop_strings_) {
    const std::size_t found = held_.find(stop);
    if (found == std::string::npos) continue;
    const std::size_t end = found + stop.size();
    if (end > best_end || (end == best_end && stop.size() <= stop_string_.size())) continue;
    best_end = end;
    begin = found;
    stop_string_ = stop;
  }
  return best_end != std::string::npos;
}

/// The longest end of the held text that begins some stop string.
std::size_t Detokenizer::undecided_suffix() const {
  std::size_t longest = 0;
  for (const std::string& stop : stop_strings_) {
    const std::string_view held = held_;
    for (std::size_t size = std::min(stop.size() - 1, held.size()); size > longest; --size)
      if (std::string_view(stop).starts_with(held.substr(held.size() - size))) longest = size;
  }
  return longest;
}

std::string decode(const Tokenizer& tokenizer, std::span<const TokenId> tokens, bool show_control) {
  Detokenizer detokenizer(tokenizer, {}, show_control);
  std::string text;
  for (const TokenId token : tokens) text += detokenizer.push(token);
  return text += detokenizer.finish();
}

}  // namespace cairn::text
