#include "text/merge.h"

namespace cairn::text {

void SymbolList::join(std::size_t left, std::size_t right, TokenId token) {
  Symbol& first = symbols_[left];
  Symbol& second = symbols_[right];
  const std::uint32_t span = first.span + second.span;
  first.token = token;
  first.end = second.end;
  first.span = span;
  second.token = kDead;
  symbols_[left + span - 1].span = span;
}

void SymbolList::compact() {
  std::size_t count = 0;
  for (std::size_t i = 0; i < symbols_.size(); i += symbols_[i].span) {
    const Symbol symbol = symbols_[i];
    symbols_[count].token = symbol.token;
    symbols_[count].end = symbol.end;
    ++count;
  }
  symbols_.resize(count);
}

void SymbolList::shrink() {
  constexpr std::size_t usual_symbols = 1 << 16;
  if (symbols_.capacity() > usual_symbols) std::vector<Symbol>().swap(symbols_);
  queue_.shrink();
}

}  // namespace cairn::text
