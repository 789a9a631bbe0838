#include "text/sentencepiece_normalizer.h"

#include <limits>

#include "base/error.h"
#include "text/space_mark.h"
#include "text/utf8.h"

namespace cairn::text {

namespace {

PieceTrie user_defined_pieces(const Vocabulary& vocabulary) {
  std::vector<PieceTrie::Entry> entries;
  for (std::size_t i = 0; i < vocabulary.kinds.size(); ++i)
    if (vocabulary.kinds[i] == TokenKind::user_defined)
      entries.push_back({vocabulary.pieces[i], static_cast<std::int32_t>(i)});
  return PieceTrie(entries);
}

}  // namespace

/// Appends to a normalized text and remembers where each byte came from.
class SentencePieceNormalizer::Writer {
 public:
  Writer(std::string_view space, bool with_sources, NormalizedText& result)
      : space_(space), with_sources_(with_sources), result_(result) {
    result_.text.clear();
    result_.sources.clear();
  }

  void put_space(std::size_t source) { put(space_, source); }

  void put_escaped(std::string_view text, std::size_t source) {
    while (!text.empty()) {
      const std::string_view part = text.substr(0, text.find(' '));
      put(part, source);
      text.remove_prefix(part.size());
      if (text.empty()) break;
      put_space(source);
      text.remove_prefix(1);
    }
  }

  /// Where the source of what is removed begins, or `end` where nothing is.
  std::size_t remove_trailing_spaces(std::size_t end) {
    while (result_.text.ends_with(space_)) {
      result_.text.resize(result_.text.size() - space_.size());
      if (!with_sources_) continue;
      end = result_.sources[result_.text.size()];
      result_.sources.resize(result_.text.size());
    }
    return end;
  }

  void finish(std::size_t source) {
    if (with_sources_) result_.sources.push_back(static_cast<std::uint32_t>(source));
    if (result_.text.size() > std::numeric_limits<std::uint32_t>::max())
      fail(ErrorKind::invalid_argument, "text grows to {} bytes when normalized, at most {} fit",
           result_.text.size(), std::numeric_limits<std::uint32_t>::max());
  }

 private:
  void put(std::string_view bytes, std::size_t source) {
    result_.text.append(bytes);
    if (with_sources_)
      result_.sources.resize(result_.text.size(), static_cast<std::uint32_t>(source));
  }

  std::string_view space_;
  bool with_sources_;
  NormalizedText& result_;
};

SentencePieceNormalizer::SentencePieceNormalizer(const Vocabulary& vocabulary)
    : rules_(vocabulary.sentence_piece),
      add_space_(vocabulary.add_space_prefix),
      user_defined_(user_defined_pieces(vocabulary)) {
  if (!rules_.precompiled_map.empty()) map_ = PrecompiledMap(rules_.precompiled_map);
  rules_.precompiled_map.clear();
}

std::size_t SentencePieceNormalizer::user_defined_bytes(std::string_view text) const {
  if (user_defined_.longest_bytes() == 0) return 0;
  const auto match = user_defined_.longest_prefix(text);
  return match ? match->size_bytes : 0;
}

SentencePieceNormalizer::Step SentencePieceNormalizer::next(std::string_view text) const {
  if (const std::size_t size_bytes = user_defined_bytes(text); size_bytes > 0)
    return {size_bytes, text.substr(0, size_bytes)};
  if (const auto rule = map_.longest_prefix(text)) return {rule->size_bytes, rule->replacement};
  const Utf8Sequence character = next_utf8(text);
  if (character.status != Utf8Status::valid) return {1, kReplacementCharacter};
  return {character.size_bytes, text.substr(0, character.size_bytes)};
}

void SentencePieceNormalizer::normalize(std::string_view text, bool with_sources,
                                        NormalizedText& result) const {
  Writer writer(rules_.escape_spaces ? kSpaceMark : " ", with_sources, result);
  const bool removes = rules_.remove_extra_spaces;
  std::size_t at = 0;
  while (removes && at < text.size()) {
    const Step step = next(text.substr(at));
    if (step.text != " ") break;
    at += step.size_bytes;
  }
  if (at == text.size()) return writer.finish(at);
  if (add_space_ && !rules_.space_suffix) writer.put_space(at);
  bool after_space = removes;
  while (at < text.size()) {
    Step step = next(text.substr(at));
    while (after_space && step.text.starts_with(' ')) step.text.remove_prefix(1);
    if (!step.text.empty()) {
      writer.put_escaped(step.text, at);
      after_space = removes && step.text.ends_with(' ');
    }
    at += step.size_bytes;
  }
  if (removes) at = writer.remove_trailing_spaces(at);
  if (add_space_ && rules_.space_suffix) writer.put_space(at);
  writer.finish(at);
}

void NormalizedText::shrink() {
  constexpr std::size_t usual_bytes = 1 << 20;
  if (text.capacity() > usual_bytes) std::string().swap(text);
  if (sources.capacity() > usual_bytes) std::vector<std::uint32_t>().swap(sources);
}

}  // namespace cairn::text
