// A warm tokenizer allocates nothing for each token: counted by replacing the global operator new
// of this test program. What grows with the text is the list of tokens alone, by doubling.

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>
#include <random>
#include <string>

#include "text/test_vocabularies.h"
#include "text/tokenizer.h"

namespace {

std::atomic<std::size_t> allocation_count{0};

}  // namespace

// Not inlined: the compiler would see free() meet a pointer from operator new and warn.
[[gnu::noinline]] void* operator new(std::size_t size) {
  allocation_count.fetch_add(1, std::memory_order_relaxed);
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  allocation_count.fetch_add(1, std::memory_order_relaxed);
  return std::malloc(size == 0 ? 1 : size);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, const std::nothrow_t&) noexcept {
  std::free(memory);
}

namespace cairn::text {
namespace {

constexpr EncodeOptions kPlain{.add_special = false, .parse_special = true};

std::string words(std::size_t count) {
  std::mt19937 random(61);
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    for (std::uint32_t letters = 1 + random() % 9; letters > 0; --letters)
      text += static_cast<char>('a' + random() % 26);
    text += i % 7 == 0 ? "\n\n" : i % 11 == 0 ? " \xE4\xB8\x80\xE4\xBA\x8C " : " ";
  }
  return text;
}

std::size_t allocations_of(const Tokenizer& tokenizer, std::string_view text) {
  const std::size_t before = allocation_count.load();
  const auto tokens = tokenizer.encode(text, kPlain);
  EXPECT_GT(tokens.size(), text.size() / 10);
  return allocation_count.load() - before;
}

TEST(NoAllocation, WarmTokenizersAllocateOnlyTheirAnswer) {
  const std::string mark = "\xE2\x96\x81";
  std::vector<Vocabulary> vocabularies = {
      byte_level_vocabulary("gpt-2", {"a b", "c d", "ab cd"}),
      byte_level_vocabulary("llama-bpe", {"a b", "\xC4\xA0 a"}),
      byte_level_vocabulary("qwen2", {"a b", "e r"}),
      byte_level_vocabulary("deepseek-v3", {"a b", "e r"}),
      sentence_piece_vocabulary({mark, "a", "b", "ab", mark + "a"})};
  const std::string text = words(20'000);
  const std::string half = text.substr(0, text.size() / 2);
  for (Vocabulary& vocabulary : vocabularies) {
    SCOPED_TRACE(vocabulary.pre_tokenizer);
    const auto tokenizer = make_tokenizer(share(std::move(vocabulary)));
    allocations_of(*tokenizer, text);
    const std::size_t few = allocations_of(*tokenizer, half);
    const std::size_t many = allocations_of(*tokenizer, text);
    EXPECT_LE(few, 40U);
    EXPECT_LE(many, few + 4);
  }
}

}  // namespace
}  // namespace cairn::text
