#include "engine/sampling_breakers.h"

#include <algorithm>
#include <string_view>
#include <tuple>

namespace cairn::engine {
namespace {

using schedule::BreakerSequence;
using schedule::BreakerTable;

constexpr std::size_t kMaxTailTokens = 20;

/// Adds what `piece` can begin of `breaker`; an empty tail where it holds all of it.
void add_sequences(TokenId token, std::string_view piece, std::string_view breaker,
                   const text::Tokenizer& tokenizer, BreakerTable& table) {
  if (piece.find(breaker) != std::string_view::npos) {
    table.push_back({token, {}});
    return;
  }
  const std::size_t longest = std::min(piece.size(), breaker.size() - 1);
  for (std::size_t length = 1; length <= longest; ++length) {
    if (!piece.ends_with(breaker.substr(0, length))) continue;
    std::vector<TokenId> tail =
        tokenizer.encode(breaker.substr(length), {.add_special = false, .parse_special = false});
    tail.resize(std::min(tail.size(), kMaxTailTokens));
    table.push_back({token, std::move(tail)});
  }
}

}  // namespace

std::shared_ptr<const BreakerTable> make_breaker_table(const text::Tokenizer& tokenizer,
                                                       std::span<const std::string> breakers) {
  auto table = std::make_shared<BreakerTable>();
  const std::size_t vocabulary = tokenizer.vocabulary().pieces.size();
  for (std::size_t index = 0; index < vocabulary; ++index) {
    const TokenId token(static_cast<std::int32_t>(index));
    const std::string piece = tokenizer.piece_bytes(token, true);
    for (const std::string& breaker : breakers) {
      if (!breaker.empty()) add_sequences(token, piece, breaker, tokenizer, *table);
    }
  }
  const auto by_content = [](const BreakerSequence& a, const BreakerSequence& b) {
    return std::tie(a.head, a.tail) < std::tie(b.head, b.tail);
  };
  const auto equal = [](const BreakerSequence& a, const BreakerSequence& b) {
    return a.head == b.head && a.tail == b.tail;
  };
  std::ranges::sort(*table, by_content);
  table->erase(std::unique(table->begin(), table->end(), equal), table->end());
  return table;
}

}  // namespace cairn::engine
