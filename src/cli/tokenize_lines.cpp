#include "cli/tokenize_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "cli/line_file.h"
#include "text/detokenizer.h"

namespace cairn::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string to_json(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

void append_number(std::string& line, std::int64_t number) {
  const fmt::format_int digits(number);
  line.append(digits.data(), digits.size());
}

/// "[" items between ", " "]".
template <class Items, class Append>
void append_list(std::string& line, const Items& items, Append append) {
  line += '[';
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i > 0) line += ", ";
    append(items[i]);
  }
  line += ']';
}

void append_ids(std::string& line, const std::vector<TokenId>& tokens) {
  append_list(line, tokens, [&](TokenId token) { append_number(line, token.value); });
}

void append_offsets(std::string& line, const std::vector<text::TokenOffsets>& offsets) {
  append_list(line, offsets, [&](const text::TokenOffsets& range) {
    line += '[';
    append_number(line, range.begin);
    line += ", ";
    append_number(line, range.end);
    line += ']';
  });
}

/// A JSON string without escapes, the common case, needs no parser.
std::optional<std::string_view> plain_string(std::string_view line) {
  if (line.size() < 2 || line.front() != '"' || line.back() != '"') return std::nullopt;
  const std::string_view inner = line.substr(1, line.size() - 2);
  const bool plain = std::all_of(inner.begin(), inner.end(), [](char c) {
    return c >= ' ' && c < '\x7F' && c != '"' && c != '\\';
  });
  return plain ? std::optional(inner) : std::nullopt;
}

class LineTokenizer {
 public:
  LineTokenizer(const text::Tokenizer& tokenizer, const LineOptions& options)
      : tokenizer_(tokenizer), options_(options) {}

  void answer(std::string_view line, std::string& out) {
    if (options_.decode) {
      out += to_json(text::decode(tokenizer_, parse_ids(line), options_.encode.parse_special));
    } else if (const auto plain = plain_string(line)) {
      encode(*plain, out);
    } else {
      const Json json = Json::parse(line, nullptr, /*allow_exceptions=*/false);
      if (!json.is_string()) fail(ErrorKind::invalid_argument, "the line is no JSON string");
      encode(json.get_ref<const std::string&>(), out);
    }
  }

 private:
  void encode(std::string_view text, std::string& out) const {
    if (options_.count) {
      append_number(out,
                    static_cast<std::int64_t>(tokenizer_.encode(text, options_.encode).size()));
    } else if (options_.offsets == OffsetUnit::none) {
      append_ids(out, tokenizer_.encode(text, options_.encode));
    } else {
      text::Encoding encoding = tokenizer_.encode_with_offsets(text, options_.encode);
      if (options_.offsets == OffsetUnit::characters) count_in_characters(text, encoding.offsets);
      out += "{\"ids\": ";
      append_ids(out, encoding.tokens);
      out += ", \"offsets\": ";
      append_offsets(out, encoding.offsets);
      out += '}';
    }
  }

  std::vector<TokenId> parse_ids(std::string_view line) const {
    const Json json = Json::parse(line, nullptr, /*allow_exceptions=*/false);
    if (!json.is_array()) fail(ErrorKind::invalid_argument, "the line is no JSON list of ids");
    std::vector<TokenId> tokens;
    tokens.reserve(json.size());
    for (const Json& item : json) {
      const bool is_id = item.is_number_unsigned() && item.get<std::uint64_t>() <= INT32_MAX;
      if (!is_id) {
        fail(ErrorKind::invalid_argument, "entry {} of the line is no token id", tokens.size() + 1);
      }
      tokens.emplace_back(item.get<std::int32_t>());
    }
    require_ids(tokenizer_, tokens);
    return tokens;
  }

  const text::Tokenizer& tokenizer_;
  const LineOptions& options_;
};

}  // namespace

void tokenize_lines(const text::Tokenizer& tokenizer, const LineOptions& options) {
  LineFile lines(options.file);
  LineTokenizer line_tokenizer(tokenizer, options);
  std::size_t refused_count = 0;
  std::string first_refusal;
  std::string out;
  for (std::string_view line; lines.next(line);) {
    out.clear();
    try {
      line_tokenizer.answer(line, out);
    } catch (const Error& error) {
      if (refused_count++ == 0) {
        first_refusal = fmt::format("line {}: {}", lines.number(), error.message());
      }
      out = to_json({{"error", error.message()}});
    }
    out += '\n';
    std::fwrite(out.data(), 1, out.size(), stdout);
  }
  if (refused_count > 0) {
    fail(ErrorKind::invalid_argument, "{} of {} lines were refused; the first is {}", refused_count,
         lines.number(), first_refusal);
  }
}

void count_in_characters(std::string_view text, std::vector<text::TokenOffsets>& offsets) {
  // begins[i]: characters that begin before byte i.
  std::vector<std::uint32_t> begins(text.size() + 1, 0);
  const auto begins_at = [&](std::size_t i) {
    return (static_cast<unsigned char>(text[i]) & 0xC0U) != 0x80U;
  };
  for (std::size_t i = 0; i < text.size(); ++i) begins[i + 1] = begins[i] + (begins_at(i) ? 1 : 0);
  for (text::TokenOffsets& range : offsets) {
    const bool is_within = range.begin < range.end && !begins_at(range.begin);
    range = {begins[range.begin] - (is_within && begins[range.begin] > 0 ? 1 : 0),
             begins[range.end]};
  }
}

void require_ids(const text::Tokenizer& tokenizer, const std::vector<TokenId>& tokens) {
  const std::size_t size = tokenizer.vocabulary().pieces.size();
  for (const TokenId token : tokens) {
    if (static_cast<std::size_t>(token.value) >= size) {
      fail(ErrorKind::invalid_argument, "token id {} is outside the vocabulary of {} tokens",
           token.value, size);
    }
  }
}

}  // namespace cairn::cli
