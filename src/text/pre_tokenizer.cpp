#include "text/pre_tokenizer.h"

#include <string>
#include <utility>

#include "base/error.h"

namespace cairn::text {

namespace {

bool holds_name(std::string_view names, std::string_view name) {
  while (!names.empty()) {
    const std::size_t end = std::min(names.find(' '), names.size());
    if (names.substr(0, end) == name) return true;
    names.remove_prefix(std::min(end + 1, names.size()));
  }
  return false;
}

}  // namespace

const PreTokenizerRules& find_pre_tokenizer(std::string_view name) {
  if (name.empty()) name = "default";
  std::string known;
  for (const PreTokenizerRules& rules : pre_tokenizers()) {
    if (holds_name(rules.names, name)) return rules;
    (known += known.empty() ? "" : " ") += rules.names.substr(0, rules.names.find(' '));
  }
  fail(ErrorKind::unsupported,
       "tokenizer.ggml.pre: unknown pre-tokenizer '{}'; name the one that comes closest with "
       "--pre-tokenizer NAME, one of: {}",
       name, known);
}

std::string pre_tokenizer_warning(const Vocabulary& vocabulary) {
  if (vocabulary.model != "gpt2" || !vocabulary.pre_tokenizer.empty()) return {};
  return "tokenizer.ggml.pre is missing, so text is split by the default rule, which may not be "
         "the "
         "model's; name the right one with --pre-tokenizer NAME, or get a newer file";
}

void PreTokenizer::Scratch::shrink() {
  constexpr std::size_t usual_pieces = 1 << 16;
  if (ends.capacity() > usual_pieces) std::vector<std::uint32_t>().swap(ends);
  if (coarse.capacity() > usual_pieces) std::vector<std::uint32_t>().swap(coarse);
}

PreTokenizer::PreTokenizer(const PreTokenizerRules& rules) {
  for (const std::string_view pattern : rules.patterns)
    if (!pattern.empty()) patterns_.emplace_back(pattern);
}

void PreTokenizer::split(std::string_view text, Scratch& scratch) const {
  scratch.ends.assign(text.empty() ? 0 : 1, static_cast<std::uint32_t>(text.size()));
  for (const Pattern& pattern : patterns_) {
    std::swap(scratch.ends, scratch.coarse);
    scratch.ends.clear();
    std::uint32_t begin = 0;
    for (const std::uint32_t end : scratch.coarse) {
      pattern.split(text.substr(begin, end - begin), begin, scratch.pattern, scratch.ends);
      begin = end;
    }
  }
}

}  // namespace cairn::text
