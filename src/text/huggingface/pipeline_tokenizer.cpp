#include "text/huggingface/pipeline_tokenizer.h"

#include <algorithm>
#include <span>
#include <utility>

#include "text/segments.h"

namespace cairn::text::huggingface {

PipelineTokenizer::PipelineTokenizer(std::shared_ptr<const Vocabulary> vocabulary,
                                     Pipeline pipeline)
    : Tokenizer(std::move(vocabulary)),
      pipeline_(std::move(pipeline)),
      source_finder_(pipeline_.added_tokens, false),
      normalized_finder_(pipeline_.added_tokens, true),
      added_by_token_(this->vocabulary().pieces.size(), nullptr) {
  for (const AddedToken& added : pipeline_.added_tokens)
    added_by_token_[static_cast<std::size_t>(added.token.value)] = &added;
  needs_sources_ = std::any_of(pipeline_.splitters.begin(), pipeline_.splitters.end(),
                               [](const auto& splitter) { return splitter->needs_sources(); });
}

bool PipelineTokenizer::needs_alignment(const Input& input, bool with_offsets) const {
  // Where special tokens may match is told in terms of the source.
  const bool everywhere = input.special_ranges.size() == 1 &&
                          input.special_ranges[0] == TextRange{0, input.text.size()};
  const bool partly = !input.special_ranges.empty() && !everywhere;
  return with_offsets || needs_sources_ || partly;
}

void PipelineTokenizer::encode_input(const Input& input, Encoding& output,
                                     bool with_offsets) const {
  check_text_size(input.text);
  const auto lease = scratches_.borrow();
  Scratch& scratch = *lease;
  PreTokenized& text = scratch.text;
  text.assign(input.text, needs_alignment(input, with_offsets));
  find_added_tokens(source_finder_, input, text);
  normalize(text);
  find_added_tokens(normalized_finder_, input, text);
  for (const auto& splitter : pipeline_.splitters) {
    splitter->apply(text);
    text.check_growth();
  }
  Encoding encoding;
  std::vector<SpaceCounts> spaces = encode_splits(input, with_offsets, scratch, encoding);
  pipeline_.post_processor.apply(input.text, input.add_special, with_offsets, std::move(spaces),
                                 encoding);
  scratch.text.shrink();
  scratch.model.shrink();
  if (output.tokens.empty()) {
    output = std::move(encoding);
    return;
  }
  output.tokens.insert(output.tokens.end(), encoding.tokens.begin(), encoding.tokens.end());
  output.offsets.insert(output.offsets.end(), encoding.offsets.begin(), encoding.offsets.end());
}

void PipelineTokenizer::find_added_tokens(const AddedTokenFinder& finder, const Input& input,
                                          PreTokenized& text) const {
  if (finder.empty()) return;
  const bool aligned = text.aligned();
  text.cut([&](std::string_view part, std::uint32_t begin, std::vector<Split>& splits) {
    const auto offset = [&](std::size_t at) { return begin + static_cast<std::uint32_t>(at); };
    const auto allows = [&](std::size_t first, std::size_t end) {
      if (!aligned) return !input.special_ranges.empty();
      const TokenOffsets source = text.source_of(offset(first), offset(end));
      return holds_range(input.special_ranges, source.begin, source.end);
    };
    std::size_t done = 0;
    finder.scan(part, allows, [&](const AddedTokenFinder::Match& match) {
      if (match.begin > done) splits.push_back({offset(done), offset(match.begin), TokenId(-1)});
      splits.push_back(text.token_split(match.token, offset(match.begin), offset(match.end)));
      done = match.end;
    });
    if (done < part.size()) splits.push_back({offset(done), offset(part.size()), TokenId(-1)});
  });
}

void PipelineTokenizer::normalize(PreTokenized& text) const {
  for (const auto& normalizer : pipeline_.normalizers) {
    const auto& splits = text.splits();
    const bool changes = std::any_of(splits.begin(), splits.end(), [&](const Split& split) {
      return split.token.value < 0 && !normalizer->leaves(text.text_of(split));
    });
    if (!changes) continue;
    text.rewrite([&](Rewriter& rewriter, const Split&) { normalizer->apply(rewriter); });
    text.check_growth();
  }
}

std::vector<SpaceCounts> PipelineTokenizer::encode_splits(const Input& input, bool with_offsets,
                                                          Scratch& scratch,
                                                          Encoding& output) const {
  const bool trims = with_offsets && pipeline_.post_processor.trims();
  std::vector<SpaceCounts> spaces;
  for (const Split& split : scratch.text.splits()) {
    if (split.token.value >= 0) {
      output.tokens.push_back(split.token);
      if (with_offsets) output.offsets.push_back(scratch.text.source_of_token(split));
    } else if (with_offsets) {
      encode_aligned_word(split, scratch, output);
    } else {
      encode_word(scratch.text.text_of(split), scratch, output.tokens);
    }
    if (trims) append_spaces(input.text, split, scratch, spaces);
  }
  return spaces;
}

void PipelineTokenizer::encode_word(std::string_view word, Scratch& scratch,
                                    std::vector<TokenId>& tokens) const {
  if (scratch.cache.find(word, tokens)) return;
  const std::size_t before = tokens.size();
  pipeline_.model->encode_tokens(word, scratch.model, tokens);
  scratch.cache.insert(word, std::span(tokens).subspan(before));
}

void PipelineTokenizer::encode_aligned_word(const Split& split, Scratch& scratch,
                                            Encoding& output) const {
  scratch.model.tokens.clear();
  pipeline_.model->encode(scratch.text.text_of(split), scratch.model, scratch.model.tokens);
  for (const TokenRange& range : scratch.model.tokens) {
    output.tokens.push_back(range.token);
    output.offsets.push_back(
        scratch.text.source_of(split.begin + range.begin, split.begin + range.end));
  }
}

void PipelineTokenizer::append_spaces(std::string_view source, const Split& split,
                                      const Scratch& scratch,
                                      std::vector<SpaceCounts>& spaces) const {
  if (split.token.value >= 0) {
    const TokenOffsets place = scratch.text.source_of_token(split);
    spaces.push_back(count_spaces(source.substr(place.begin, place.end - place.begin)));
    return;
  }
  const std::string_view word = scratch.text.text_of(split);
  for (const TokenRange& range : scratch.model.tokens) {
    const bool by_text =
        range.token == vocabulary().unknown && pipeline_.model->names_unknown_by_text();
    spaces.push_back(count_spaces(
        by_text
            ? word.substr(range.begin, range.end - range.begin)
            : std::string_view(vocabulary().pieces[static_cast<std::size_t>(range.token.value)])));
  }
}

void PipelineTokenizer::decode_next(TokenId token, bool show_control, DecodeState& state,
                                    std::string& bytes) const {
  check_token(vocabulary(), token);
  const auto index = static_cast<std::size_t>(token.value);
  const AddedToken* added = added_by_token_[index];
  if (added != nullptr && added->special && !show_control) return;
  if (vocabulary().kinds[index] == TokenKind::unused) return;  // a number without a piece
  const std::string_view piece =
      added != nullptr ? added->pattern : std::string_view(vocabulary().pieces[index]);
  pipeline_.decoder.append(token, piece, state, bytes);
}

std::string PipelineTokenizer::piece_bytes(TokenId token, bool show_control) const {
  DecodeState state;
  state.at_start = false;
  state.strips = false;
  std::string bytes;
  decode_next(token, show_control, state, bytes);
  return bytes;
}

std::optional<TokenId> PipelineTokenizer::find_piece(std::string_view piece) const {
  const auto& added = pipeline_.added_tokens;
  const auto found = std::find_if(added.begin(), added.end(),
                                  [&](const AddedToken& t) { return t.content == piece; });
  return found != added.end() ? found->token : pipeline_.model_index->find(piece);
}

}  // namespace cairn::text::huggingface
