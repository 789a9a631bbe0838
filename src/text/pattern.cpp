#define PCRE2_CODE_UNIT_WIDTH 8
#include "text/pattern.h"

#include <pcre2.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string>

#include "base/check.h"
#include "base/error.h"
#include "text/utf8.h"

namespace cairn::text {

namespace {

constexpr std::size_t kJitStackStartBytes = 32 * 1024;
constexpr std::size_t kJitStackLimitBytes = 1024 * 1024;

std::string message_of(int code) {
  std::array<PCRE2_UCHAR, 256> buffer{};
  pcre2_get_error_message(code, buffer.data(), buffer.size());
  std::string message;
  for (const PCRE2_UCHAR unit : buffer) {
    if (unit == 0) break;
    message.push_back(static_cast<char>(unit));
  }
  return message;
}

PCRE2_SPTR units_of(std::string_view text) {
  return reinterpret_cast<PCRE2_SPTR>(text.data());  // both are bytes
}

/// Enough for a pattern that is linear in its text, and a stop for one that is not.
std::uint32_t match_limit(std::size_t size_bytes) {
  constexpr std::uint64_t kShortText = 1'000'000;
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(
      kShortText + 4 * std::uint64_t{size_bytes}, std::numeric_limits<std::uint32_t>::max()));
}

// PCRE2's own \s also takes U+180E, which Unicode moved out of White_Space.
std::string with_white_space_spelled_out(std::string_view expression) {
  constexpr std::string_view members = R"(\p{Z}\t-\r\x{85})";
  std::string result;
  bool in_class = false;
  for (std::size_t i = 0; i < expression.size(); ++i) {
    const char c = expression[i];
    if (c == '\\' && i + 1 < expression.size()) {
      const char escaped = expression[++i];
      if (escaped == 's' && in_class) {
        result += members;
      } else if (escaped == 's' || escaped == 'S') {
        CHECK(!in_class, "\\S within a class of {}", expression);
        (result += escaped == 's' ? "[" : "[^").append(members) += ']';
      } else {
        (result += c) += escaped;
      }
      continue;
    }
    if (c == '[') in_class = true;
    if (c == ']') in_class = false;
    result += c;
  }
  return result;
}

}  // namespace

struct PatternScratch::Parts {
  Parts()
      : data(pcre2_match_data_create(1, nullptr)),
        context(pcre2_match_context_create(nullptr)),
        stack(pcre2_jit_stack_create(kJitStackStartBytes, kJitStackLimitBytes, nullptr)) {
    pcre2_jit_stack_assign(context, nullptr, stack);
  }
  ~Parts() {
    pcre2_match_data_free(data);
    pcre2_match_context_free(context);
    pcre2_jit_stack_free(stack);
  }
  Parts(const Parts&) = delete;
  Parts& operator=(const Parts&) = delete;

  pcre2_match_data* data;
  pcre2_match_context* context;
  pcre2_jit_stack* stack;
};

PatternScratch::PatternScratch() : parts_(std::make_unique<Parts>()) {}
PatternScratch::~PatternScratch() = default;
PatternScratch::PatternScratch(PatternScratch&&) noexcept = default;
PatternScratch& PatternScratch::operator=(PatternScratch&&) noexcept = default;

struct Pattern::Code {
  explicit Code(std::string_view expression) {
    const std::string source = with_white_space_spelled_out(expression);
    int error = 0;
    PCRE2_SIZE offset = 0;
    compiled =
        pcre2_compile(units_of(source), source.size(),
                      PCRE2_UTF | PCRE2_UCP | PCRE2_NEVER_BACKSLASH_C, &error, &offset, nullptr);
    if (compiled == nullptr)
      fail(ErrorKind::invalid_argument, "pattern '{}': {} at byte {}", expression,
           message_of(error), offset);
    pcre2_jit_compile(compiled, PCRE2_JIT_COMPLETE);  // without a JIT the interpreter serves
  }
  ~Code() { pcre2_code_free(compiled); }
  Code(const Code&) = delete;
  Code& operator=(const Code&) = delete;

  pcre2_code* compiled = nullptr;
};

Pattern::Pattern(std::string_view expression)
    : code_(std::make_unique<Code>(expression)), scanner_(find_ascii_scanner(expression)) {}
Pattern::~Pattern() = default;
Pattern::Pattern(Pattern&&) noexcept = default;
Pattern& Pattern::operator=(Pattern&&) noexcept = default;

std::optional<TextRange> Pattern::find(std::string_view text, std::size_t from,
                                       PatternScratch& scratch) const {
  if (scanner_ != nullptr && from < text.size()) {
    if (const std::size_t end = scanner_(text, from)) return TextRange{from, end};
  }
  const PatternScratch::Parts& parts = *scratch.parts_;
  pcre2_set_match_limit(parts.context, match_limit(text.size()));
  const int count = pcre2_match(code_->compiled, units_of(text), text.size(), from,
                                PCRE2_NO_UTF_CHECK, parts.data, parts.context);
  if (count == PCRE2_ERROR_NOMATCH) return std::nullopt;
  if (count < 0)
    fail(ErrorKind::unsupported, "pattern gave up at byte {}: {}", from, message_of(count));
  const PCRE2_SIZE* span = pcre2_get_ovector_pointer(parts.data);
  return TextRange{span[0], span[1]};
}

void Pattern::split(std::string_view text, std::uint32_t offset, PatternScratch& scratch,
                    std::vector<std::uint32_t>& ends) const {
  const PatternScratch::Parts& parts = *scratch.parts_;
  pcre2_set_match_limit(parts.context, match_limit(text.size()));
  const PCRE2_SIZE* span = pcre2_get_ovector_pointer(parts.data);
  const auto push_end = [&](std::size_t end) {
    ends.push_back(offset + static_cast<std::uint32_t>(end));
  };
  std::size_t done = 0;  // pieces end here
  std::size_t from = 0;  // the search begins here
  while (from < text.size()) {
    if (scanner_ != nullptr) {
      if (const std::size_t end = scanner_(text, from)) {
        push_end(end);
        done = from = end;
        continue;
      }
    }
    const int count = pcre2_match(code_->compiled, units_of(text), text.size(), from,
                                  PCRE2_NO_UTF_CHECK, parts.data, parts.context);
    if (count == PCRE2_ERROR_NOMATCH) break;
    if (count < 0)
      fail(ErrorKind::unsupported, "pre-tokenizer pattern gave up at byte {}: {}", from,
           message_of(count));
    if (span[1] == span[0]) {  // an empty match is no piece
      from =
          span[1] == text.size() ? span[1] : span[1] + next_utf8(text.substr(span[1])).size_bytes;
      continue;
    }
    if (span[0] > done) push_end(span[0]);
    push_end(span[1]);
    done = from = span[1];
  }
  if (done < text.size()) push_end(text.size());
}

}  // namespace cairn::text
