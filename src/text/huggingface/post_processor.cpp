#include "text/huggingface/post_processor.h"

#include <algorithm>
#include <optional>

#include "base/error.h"
#include "text/huggingface/step_list.h"
#include "text/huggingface/unicode.h"
#include "text/utf8.h"

namespace cairn::text::huggingface {

namespace {

constexpr std::size_t kMostAddedTokens = 1024;
constexpr char32_t kSpaceInAlphabet = 0x120;  // GPT-2's spelling of the blank

TokenId read_token(const Field& id, std::size_t token_count) {
  return TokenId(static_cast<std::int32_t>(id.count(static_cast<std::uint32_t>(token_count) - 1)));
}

/// ["[SEP]", 102]
TokenId read_pair(const Field& pair, std::size_t token_count) {
  if (pair.kind() != JsonKind::array || pair.size() != 2) pair.refuse("a piece and its id");
  auto item = pair.items().begin();
  ++item;
  return read_token(*item, token_count);
}

bool is_space(char32_t c) {
  return c == kSpaceInAlphabet || is_white_space(c);
}

/// Offsets in `source` are bytes, but what is cut off are characters.
void trim(std::string_view source, SpaceCounts spaces, TokenOffsets& offsets) {
  for (; spaces.leading > 0 && offsets.begin < offsets.end; --spaces.leading)
    offsets.begin += static_cast<std::uint32_t>(next_utf8(source.substr(offsets.begin)).size_bytes);
  offsets.begin = std::min(offsets.begin, offsets.end);
  for (; spaces.trailing > 0 && offsets.end > offsets.begin; --spaces.trailing)
    offsets.end = static_cast<std::uint32_t>(last_character(source.substr(0, offsets.end)));
  offsets.end = std::max(offsets.begin, offsets.end);
}

void trim_offsets(std::string_view source, const std::vector<SpaceCounts>& spaces,
                  bool keeps_first_space, Encoding& encoding) {
  for (std::size_t i = 0; i < encoding.offsets.size(); ++i) {
    SpaceCounts counts = spaces[i];
    // One blank at the very beginning was put there, and has no character of its own.
    const bool is_first = i == 0 || encoding.offsets[i].begin == 0;
    if (is_first && keeps_first_space && counts.leading == 1) counts.leading = 0;
    trim(source, counts, encoding.offsets[i]);
  }
}

}  // namespace

SpaceCounts count_spaces(std::string_view text) {
  SpaceCounts counts;
  bool only_spaces = true;
  while (!text.empty()) {
    const Utf8Sequence next = next_utf8(text);
    const bool space =
        next.status == Utf8Status::valid && is_space(decode_utf8(text.substr(0, next.size_bytes)));
    text.remove_prefix(next.size_bytes);
    only_spaces = only_spaces && space;
    counts.leading += only_spaces ? 1 : 0;
    counts.trailing = space ? counts.trailing + 1 : 0;
  }
  return counts;
}

PostProcessor::PostProcessor(const Field& block, std::size_t token_count) {
  for (const Field& step : read_steps(block, "processors")) append_step(step, token_count);
}

void PostProcessor::append_step(const Field& block, std::size_t token_count) {
  const Field type = block.at("type");
  Step step;
  if (type.text() == "TemplateProcessing") {
    step = read_template(block, token_count);
  } else if (type.text() == "BertProcessing" || type.text() == "RobertaProcessing") {
    step.before = {read_pair(block.at("cls"), token_count)};
    step.after = {read_pair(block.at("sep"), token_count)};
  } else if (type.text() != "ByteLevel") {
    type.unsupported("is no post-processor that cairn knows");
  }
  if (type.text() == "ByteLevel" || type.text() == "RobertaProcessing") {
    step.trims = block.boolean("trim_offsets", true);
    step.keeps_first_space = block.boolean("add_prefix_space", true);
  }
  steps_.push_back(std::move(step));
}

PostProcessor::Step PostProcessor::read_template(const Field& block, std::size_t token_count) {
  Step step;
  bool seen_text = false;
  if (block.at("single").size() > kMostAddedTokens) block.at("single").refuse("at most 1024 parts");
  for (const Field piece : block.at("single").items()) {
    if (const auto sequence = piece.find("Sequence")) {
      if (sequence->at("id").text() != "A" || seen_text) sequence->refuse("the text, once");
      seen_text = true;
      continue;
    }
    const Field name = piece.at("SpecialToken").at("id");
    const auto special = block.at("special_tokens").find(name.text());
    if (!special) name.refuse("one of special_tokens");
    std::vector<TokenId>& side = seen_text ? step.after : step.before;
    for (const Field id : special->at("ids").items()) {
      side.push_back(read_token(id, token_count));
      if (side.size() > kMostAddedTokens) block.refuse("at most 1024 tokens");
    }
  }
  if (!seen_text) block.at("single").refuse("a template with the text in it");
  return step;
}

void PostProcessor::add(TokenId before, TokenId after) {
  Step step;
  if (before.value >= 0) step.before.push_back(before);
  if (after.value >= 0) step.after.push_back(after);
  steps_.push_back(std::move(step));
}

std::vector<TokenId> PostProcessor::added_before() const {
  std::vector<TokenId> tokens;
  for (const Step& step : steps_)  // each goes around the one before
    tokens.insert(tokens.begin(), step.before.begin(), step.before.end());
  return tokens;
}

std::vector<TokenId> PostProcessor::added_after() const {
  std::vector<TokenId> tokens;
  for (const Step& step : steps_) tokens.insert(tokens.end(), step.after.begin(), step.after.end());
  return tokens;
}

bool PostProcessor::trims() const {
  return std::any_of(steps_.begin(), steps_.end(), [](const Step& step) { return step.trims; });
}

void PostProcessor::apply(std::string_view source, bool add_special, bool with_offsets,
                          std::vector<SpaceCounts> spaces, Encoding& encoding) const {
  const auto wrap = [](auto& list, const Step& step, auto before, auto after) {
    list.insert(list.begin(), step.before.size(), before);
    list.insert(list.end(), step.after.size(), after);
  };
  for (const Step& step : steps_) {
    if (step.trims && with_offsets) trim_offsets(source, spaces, step.keeps_first_space, encoding);
    if (!add_special) continue;
    encoding.tokens.insert(encoding.tokens.begin(), step.before.begin(), step.before.end());
    encoding.tokens.insert(encoding.tokens.end(), step.after.begin(), step.after.end());
    if (!with_offsets) continue;
    wrap(encoding.offsets, step, TokenOffsets{}, TokenOffsets{});
    wrap(spaces, step, SpaceCounts{}, SpaceCounts{});
  }
}

}  // namespace cairn::text::huggingface
