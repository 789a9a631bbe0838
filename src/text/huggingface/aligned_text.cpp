#include "text/huggingface/aligned_text.h"

#include <algorithm>

#include "base/error.h"
#include "text/byte_alphabet.h"
#include "text/utf8.h"

namespace cairn::text::huggingface {

namespace {

constexpr std::size_t kLongestTextBytes = std::size_t{3} << 30;  // positions have 32 bits

}  // namespace

Rewriter::Rewriter(const AlignedText& source, std::uint32_t begin, std::uint32_t end,
                   AlignedText& target)
    : old_(std::string_view(source.text).substr(begin, end - begin)),
      sources_(source.sources.empty() ? nullptr : source.sources.data() + begin),
      target_(target),
      most_bytes_(std::min(target.text.size() + kMostGrowth * old_.size() + kFreeGrowthBytes,
                           kLongestTextBytes)) {}

void Rewriter::keep(std::size_t size_bytes) {
  target_.text.append(old_.substr(position_, size_bytes));
  if (sources_ != nullptr)
    target_.sources.insert(target_.sources.end(), sources_ + position_,
                           sources_ + position_ + size_bytes);
  position_ += size_bytes;
}

void Rewriter::replace(std::string_view character) {
  append(character, here());
  remove();
}

void Rewriter::insert(std::string_view characters) {
  if (sources_ == nullptr) return append(characters, {});
  const std::uint32_t origin = old_.empty() ? 0 : sources_[0].begin;
  append(characters, position_ > 0 ? sources_[position_ - 1] : TokenOffsets{origin, origin});
}

void Rewriter::remove() {
  if (position_ < old_.size()) position_ += next_utf8(old_.substr(position_)).size_bytes;
}

void Rewriter::put(std::string_view character, int change) {
  if (change > 0) return insert(character);
  replace(character);
  for (; change < 0; ++change) remove();
}

void Rewriter::insert_before(std::string_view prefix) {
  append(prefix, here());
}

void Rewriter::prepend(std::string_view prefix) {
  insert_before(prefix);
  keep(old_.size());
}

TokenOffsets Rewriter::here() const {
  if (sources_ == nullptr || old_.empty()) return {};
  return sources_[std::min(position_, old_.size() - 1)];
}

void Rewriter::append(std::string_view characters, TokenOffsets source) {
  if (target_.text.size() + characters.size() > most_bytes_)
    fail(ErrorKind::unsupported,
         "tokenizer.json: normalizer: makes {} bytes of text more than {} times as long",
         old_.size(), kMostGrowth);
  target_.text.append(characters);
  if (sources_ != nullptr) target_.sources.insert(target_.sources.end(), characters.size(), source);
}

void write_byte_alphabet(Rewriter& rewriter) {
  const std::string_view text = rewriter.old_text();
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = at + next_utf8(text.substr(at)).size_bytes;
    const auto character = [&] { return byte_alphabet()[static_cast<std::uint8_t>(text[at])]; };
    rewriter.replace(character());
    for (++at; at < end; ++at) rewriter.insert(character());
  }
}

}  // namespace cairn::text::huggingface
