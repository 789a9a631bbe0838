#include "text/ascii_scanner.h"

#include <array>
#include <cstdint>

namespace cairn::text {

namespace {

enum class Kind : std::uint8_t { letter, digit, space, newline, symbol, beyond, end };

constexpr std::size_t kUndecided = 0;

constexpr std::array<Kind, 256> make_kinds() {
  std::array<Kind, 256> kinds{};
  for (std::size_t byte = 0; byte < kinds.size(); ++byte) {
    const bool is_letter = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
    const bool is_space = byte == ' ' || (byte >= '\t' && byte <= '\r');
    kinds[byte] = byte >= 0x80                   ? Kind::beyond
                  : is_letter                    ? Kind::letter
                  : byte >= '0' && byte <= '9'   ? Kind::digit
                  : byte == '\n' || byte == '\r' ? Kind::newline
                  : is_space                     ? Kind::space
                                                 : Kind::symbol;
  }
  return kinds;
}

constexpr std::array<Kind, 256> kKinds = make_kinds();

Kind kind_at(std::string_view text, std::size_t at) {
  return at < text.size() ? kKinds[static_cast<std::uint8_t>(text[at])] : Kind::end;
}

bool is_white(Kind kind) {
  return kind == Kind::space || kind == Kind::newline;
}

std::size_t run_end(std::string_view text, std::size_t at, Kind kind) {
  while (kind_at(text, at) == kind) ++at;
  return at;
}

/// The end of a run that ends before `at`, unless what stands there might go on with it.
std::size_t decided(std::string_view text, std::size_t at) {
  return kind_at(text, at) == Kind::beyond ? kUndecided : at;
}

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

/// The size of "'s", "'t", "'m", "'d", "'re", "'ve" or "'ll" at `at`; 0 if there is none.
std::size_t contraction_size(std::string_view text, std::size_t at, bool any_case) {
  const auto letter = [&](std::size_t index) {
    const char c = index < text.size() ? text[index] : '\0';
    return any_case ? lower(c) : c;
  };
  if (text[at] != '\'') return 0;
  const char first = letter(at + 1);
  if (first == 's' || first == 't' || first == 'm' || first == 'd') return 2;
  const char second = letter(at + 2);
  const bool is_long = (first == 'r' && second == 'e') || (first == 'v' && second == 'e') ||
                       (first == 'l' && second == 'l');
  return is_long ? 3 : 0;
}

/// \s+(?!\S)|\s+ : the last space of a run stands with what follows.
std::size_t spaces_end(std::string_view text, std::size_t begin, std::size_t run) {
  const Kind next = kind_at(text, run);
  if (next == Kind::beyond) return kUndecided;
  return next == Kind::end || run == begin + 1 ? run : run - 1;
}

// 's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
std::size_t scan_gpt2(std::string_view text, std::size_t begin) {
  if (const std::size_t size = contraction_size(text, begin, false)) return begin + size;
  const std::size_t first = begin + (text[begin] == ' ' ? 1 : 0);
  const Kind kind = kind_at(text, first);
  if (kind == Kind::beyond) return kUndecided;
  if (kind != Kind::end && !is_white(kind)) return decided(text, run_end(text, first, kind));
  std::size_t run = begin;
  while (is_white(kind_at(text, run))) ++run;
  return spaces_end(text, begin, run);
}

// [^\s\p{L}\p{N}]+[\r\n]*
std::size_t symbols_end(std::string_view text, std::size_t first) {
  const std::size_t run = run_end(text, first, Kind::symbol);
  if (kind_at(text, run) == Kind::beyond) return kUndecided;
  return run_end(text, run, Kind::newline);
}

// \s*[\r\n]+|\s+(?!\S)|\s+
std::size_t lines_and_spaces_end(std::string_view text, std::size_t begin) {
  std::size_t after_newline = begin;
  std::size_t run = begin;
  for (Kind kind = kind_at(text, run); is_white(kind); kind = kind_at(text, run)) {
    ++run;
    if (kind == Kind::newline) after_newline = run;
  }
  if (kind_at(text, run) == Kind::beyond) return kUndecided;
  return after_newline > begin ? after_newline : spaces_end(text, begin, run);
}

// (?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,most_digits}
//   | ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+
template <std::size_t most_digits>
std::size_t scan_modern(std::string_view text, std::size_t begin) {
  const Kind kind = kind_at(text, begin);
  const Kind next = kind_at(text, begin + 1);
  if (kind == Kind::letter) return decided(text, run_end(text, begin, Kind::letter));
  if (kind == Kind::beyond || next == Kind::beyond) return kUndecided;
  if (const std::size_t size = contraction_size(text, begin, true)) return begin + size;
  if (kind == Kind::digit) {
    std::size_t end = begin + 1;
    while (end - begin < most_digits && kind_at(text, end) == Kind::digit) ++end;
    return end - begin < most_digits ? decided(text, end) : end;
  }
  if (kind != Kind::newline && next == Kind::letter)
    return decided(text, run_end(text, begin + 1, Kind::letter));
  if (kind == Kind::symbol) return symbols_end(text, begin);
  if (text[begin] == ' ' && next == Kind::symbol) return symbols_end(text, begin + 1);
  return lines_and_spaces_end(text, begin);
}

struct Known {
  std::string_view expression;
  AsciiScanner scanner;
};

#define MODERN_BEGIN R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|)"
#define MODERN_END R"(| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)"

constexpr std::array<Known, 3> kKnown = {{
    {R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)", scan_gpt2},
    {MODERN_BEGIN R"(\p{N}{1,3})" MODERN_END, scan_modern<3>},
    {MODERN_BEGIN R"(\p{N})" MODERN_END, scan_modern<1>},
}};

}  // namespace

AsciiScanner find_ascii_scanner(std::string_view expression) {
  for (const Known& known : kKnown)
    if (known.expression == expression) return known.scanner;
  return nullptr;
}

}  // namespace cairn::text
