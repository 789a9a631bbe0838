#include "text/huggingface/text_pattern.h"

#include "base/error.h"
#include "text/huggingface/oniguruma.h"
#include "text/utf8.h"

namespace cairn::text::huggingface {

namespace {

constexpr std::size_t kLongestPatternBytes = 64 * 1024;

}  // namespace

TextPattern::TextPattern(std::string_view expression)
    : regex_(std::make_unique<Pattern>(pcre2_of_oniguruma(expression))) {}

TextPattern::TextPattern(const Field& pattern) {
  if (const auto literal = pattern.find("String")) {
    literal_ = literal->text();
    if (literal_.empty()) literal->refuse("a string that is not empty");
    return;
  }
  const Field expression = pattern.at("Regex");
  if (expression.text().size() > kLongestPatternBytes) expression.refuse("at most 65536 bytes");
  try {
    regex_ = std::make_unique<Pattern>(pcre2_of_oniguruma(expression.text()));
  } catch (const Error& error) {
    fail(error.kind(), "{}: {}: {}", expression.file(), expression.path(),
         printable(error.message(), 300));
  }
}

std::optional<TextRange> TextPattern::Cursor::next() {
  if (pattern_.regex_ == nullptr) {
    const std::size_t found = text_.find(pattern_.literal_, from_);
    if (found == std::string_view::npos) return std::nullopt;
    from_ = found + pattern_.literal_.size();
    return TextRange{found, from_};
  }
  while (from_ <= text_.size()) {
    const auto match = pattern_.regex_->find(text_, from_, scratch_);
    if (!match) break;
    if (match->begin == match->end && last_end_ == match->end) {
      from_ = match->end;
      from_ += from_ < text_.size() ? next_utf8(text_.substr(from_)).size_bytes : 1;
      continue;
    }
    from_ = match->end;
    last_end_ = match->end;
    return match;
  }
  from_ = text_.size() + 1;
  return std::nullopt;
}

}  // namespace cairn::text::huggingface
