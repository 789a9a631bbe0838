#include "text/huggingface/pre_tokenized.h"

#include "base/error.h"

namespace cairn::text::huggingface {

bool SplitWriter::joins(bool is_match) const {
  if (!has_last_) return false;
  switch (behavior_) {
    case SplitBehavior::contiguous:
      return is_match == last_was_match_;
    case SplitBehavior::merged_with_previous:
      return is_match && !last_was_match_;
    case SplitBehavior::merged_with_next:
      return !is_match && last_was_match_;
    default:
      return false;
  }
}

void SplitWriter::add(std::uint32_t end, bool is_match) {
  if (!joins(is_match)) {
    flush();
    last_.begin = done_;
    has_last_ = true;
    last_is_kept_ = behavior_ != SplitBehavior::removed || !is_match;
  }
  last_.end = done_ = end;
  last_was_match_ = is_match;
}

void SplitWriter::flush() {
  if (has_last_ && last_is_kept_ && last_.end > last_.begin) splits_.push_back(last_);
  has_last_ = false;
}

void PreTokenized::assign(std::string_view text, bool aligned) {
  aligned_ = aligned;
  source_bytes_ = text.size();
  current_.text.clear();
  current_.sources.clear();
  splits_.clear();
  token_sources_.clear();
  std::uint32_t position = 0;
  const auto append = [&](std::string_view characters, std::size_t source_bytes) {
    current_.text.append(characters);
    const TokenOffsets source{position, position + static_cast<std::uint32_t>(source_bytes)};
    if (aligned) current_.sources.insert(current_.sources.end(), characters.size(), source);
    position = source.end;
  };
  while (!text.empty()) {
    const std::string_view valid = text.substr(0, valid_utf8_prefix(text));
    text.remove_prefix(valid.size());
    if (!aligned) current_.text.append(valid);
    for (std::size_t at = 0; aligned && at < valid.size();) {
      const std::size_t size_bytes = next_utf8(valid.substr(at)).size_bytes;
      append(valid.substr(at, size_bytes), size_bytes);
      at += size_bytes;
    }
    if (text.empty()) break;
    const std::size_t invalid = next_utf8(text).size_bytes;
    append(kReplacementCharacter, invalid);
    text.remove_prefix(invalid);
  }
  if (!current_.text.empty())
    splits_.push_back({0, static_cast<std::uint32_t>(current_.text.size()), TokenId(-1)});
}

TokenOffsets PreTokenized::source_of(std::uint32_t begin, std::uint32_t end) const {
  if (begin >= end) return {};
  return {current_.sources[begin].begin, current_.sources[end - 1].end};
}

Split PreTokenized::token_split(TokenId token, std::uint32_t begin, std::uint32_t end) {
  const auto index = static_cast<std::uint32_t>(token_sources_.size());
  if (aligned_) token_sources_.push_back(source_of(begin, end));
  return {index, index, token};
}

void PreTokenized::check_growth() const {
  if (current_.text.size() > kMostGrowth * source_bytes_ + kFreeGrowthBytes)
    fail(ErrorKind::unsupported,
         "tokenizer.json: normalizer, pre_tokenizer: make {} bytes of text more than {} times as "
         "long",
         source_bytes_, kMostGrowth);
}

void PreTokenized::shrink() {
  constexpr std::size_t usual_bytes = 1 << 18;
  if (current_.text.capacity() + next_.text.capacity() + splits_.capacity() > usual_bytes)
    *this = PreTokenized();
}

}  // namespace cairn::text::huggingface
