#include "text/strip_rules.h"

#include <algorithm>
#include <initializer_list>
#include <iterator>

namespace cairn::text {

namespace {

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool is_one_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool is_phi3(std::string_view model_name) {
  std::string name;
  std::transform(model_name.begin(), model_name.end(), std::back_inserter(name), lower);
  return name.find("phi-3") != std::string::npos || name.find("phi3") != std::string::npos;
}

/// The mask of models that fill gaps: "a <mask>" is one word and a mask.
std::string_view mask_piece(const Vocabulary& vocabulary, std::string_view architecture) {
  const std::string_view pre = vocabulary.pre_tokenizer;
  if (is_one_of(pre, {"jina-v2-de", "jina-v2-es", "jina-v2-code"}) ||
      is_one_of(architecture, {"nomic-bert-moe", "jina-bert-v3"}))
    return "<mask>";
  return architecture == "modern-bert" || pre == "modern-bert" ? "[MASK]" : std::string_view();
}

/// Phi-3 was trained without the white space after its markers, though not after these.
bool strips_in_phi3(const Vocabulary& vocabulary, std::size_t token) {
  const TokenKind kind = vocabulary.kinds[token];
  if (vocabulary.pieces[token] == "</s>") return true;
  if (kind == TokenKind::normal || kind == TokenKind::unused || kind == TokenKind::byte)
    return false;
  return !is_one_of(vocabulary.pieces[token], {"<unk>", "<s>", "<|endoftext|>"});
}

}  // namespace

void find_strip_rules(Vocabulary& vocabulary, std::string_view model_name,
                      std::string_view architecture) {
  const std::string_view mask = mask_piece(vocabulary, architecture);
  const bool phi3 = is_phi3(model_name);
  if (mask.empty() && !phi3) return;
  for (std::size_t i = 0; i < vocabulary.kinds.size(); ++i) {
    const TokenId token(static_cast<std::int32_t>(i));
    if (!mask.empty() && vocabulary.pieces[i] == mask) vocabulary.strip_left.push_back(token);
    if (phi3 && strips_in_phi3(vocabulary, i)) vocabulary.strip_right.push_back(token);
  }
}

}  // namespace cairn::text
