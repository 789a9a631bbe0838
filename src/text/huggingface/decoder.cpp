#include "text/huggingface/decoder.h"

#include <algorithm>

#include "base/error.h"
#include "text/huggingface/step_list.h"
#include "text/huggingface/unicode.h"

namespace cairn::text::huggingface {

namespace {

constexpr std::uint32_t kMostStripped = 1U << 20;
constexpr std::size_t kLongestTokenBytes = 256 * 1024;

/// Whether replacing is the same token by token and in the text as a whole.
bool replaces_single_characters(const Field& block) {
  const auto literal = block.at("pattern").find("String");
  return literal && character_count(literal->text()) == 1;
}

}  // namespace

Decoder::Decoder(const Field& block) : joins_with_blanks_(false) {
  for (const Field& step : read_steps(block, "decoders")) append_step(step);
}

Decoder::~Decoder() = default;
Decoder::Decoder(Decoder&&) noexcept = default;
Decoder& Decoder::operator=(Decoder&&) noexcept = default;

void Decoder::append_step(const Field& block) {
  const Field type = block.at("type");
  if (type.text() == "Fuse") {
    is_fused_ = true;
    return;
  }
  if (is_fused_ && type.text() == "Strip" && strip_.character.empty()) {
    strip_ = {std::string(block.at("content").character()), block.at("start").count(kMostStripped),
              block.at("stop").count(kMostStripped)};
    return;
  }
  const bool may_follow =
      type.text() == "Replace" && replaces_single_characters(block) && strip_.character.empty();
  if (is_fused_ && !may_follow) type.unsupported("after Fuse cannot be applied token by token");
  if (type.text() == "BPEDecoder") {
    if (!steps_.empty() || !word_suffix_.empty()) type.unsupported("after another decoder");
    const auto suffix = block.find("suffix");
    word_suffix_ = suffix ? suffix->text() : "</w>";
    return;
  }
  auto step = make_decoder_step(block);
  if (step == nullptr) type.unsupported("is no decoder that cairn knows");
  steps_.push_back(std::move(step));
  skips_repeated_ = skips_repeated_ || type.text() == "CTC";
  is_fused_ = is_fused_ || type.text() == "ByteLevel";
}

void Decoder::append(TokenId token, std::string_view piece, DecodeState& state,
                     std::string& bytes) const {
  const bool repeated = skips_repeated_ && !state.at_start && state.previous == token;
  state.previous = token;
  if (repeated) return;
  std::string text;
  if ((joins_with_blanks_ && !state.at_start) || state.owes_blank) text += ' ';
  text += piece;
  state.owes_blank = false;
  if (!word_suffix_.empty()) {
    std::size_t at = 0;
    while ((at = text.find(word_suffix_, at)) != std::string::npos) {
      state.owes_blank = at + word_suffix_.size() == text.size();
      text.replace(at, word_suffix_.size(), state.owes_blank ? "" : " ");
      ++at;
    }
  }
  for (const auto& step : steps_) {
    step->apply(state, text);
    if (text.size() > kLongestTokenBytes)
      fail(ErrorKind::unsupported, "tokenizer.json: decoder: makes a token of {} bytes {} long",
           piece.size(), text.size());
  }
  state.at_start = false;
  append_stripped(text, state, bytes);
}

void Decoder::append_stripped(std::string_view text, DecodeState& state, std::string& bytes) const {
  if (strip_.character.empty()) {
    bytes.append(text);
    return;
  }
  const std::string_view character = strip_.character;
  while (state.strips && state.stripped < strip_.start && text.starts_with(character)) {
    text.remove_prefix(character.size());
    ++state.stripped;
  }
  if (text.empty()) return;
  state.strips = false;
  // Characters at the end wait until something follows.
  std::uint32_t trailing = 0;
  for (std::string_view rest = text; trailing < strip_.stop && rest.ends_with(character);
       rest.remove_suffix(character.size()))
    ++trailing;
  const bool all_trail = trailing * character.size() == text.size();
  const std::uint32_t waiting = state.held_back + trailing;
  const std::uint32_t released =
      all_trail ? waiting - std::min(waiting, strip_.stop) : state.held_back;
  for (std::uint32_t i = 0; i < released; ++i) bytes.append(character);
  if (!all_trail) bytes.append(text.substr(0, text.size() - trailing * character.size()));
  state.held_back = all_trail ? waiting - released : trailing;
}

}  // namespace cairn::text::huggingface
