#include "text/tokenizer.h"

#include <limits>
#include <utility>

#include "base/error.h"
#include "text/byte_level_bpe.h"
#include "text/sentencepiece_bpe.h"

namespace cairn::text {

namespace {

void check_id(const Vocabulary& vocabulary, const char* name, std::optional<TokenId> token) {
  if (!token) return;
  const auto count = static_cast<std::int64_t>(vocabulary.pieces.size());
  if (token->value < 0 || token->value >= count)
    fail(ErrorKind::corrupt, "vocabulary: {} token is {}, expected 0 to {}", name, token->value,
         count - 1);
}

void check_lists(const Vocabulary& vocabulary) {
  const std::size_t count = vocabulary.pieces.size();
  if (count == 0 || count > std::numeric_limits<std::int32_t>::max())
    fail(ErrorKind::corrupt, "vocabulary: found {} tokens, expected 1 to {}", count,
         std::numeric_limits<std::int32_t>::max());
  if (!vocabulary.kinds.empty() && vocabulary.kinds.size() != count)
    fail(ErrorKind::corrupt, "vocabulary: found {} token types for {} tokens",
         vocabulary.kinds.size(), count);
  if (!vocabulary.scores.empty() && vocabulary.scores.size() != count)
    fail(ErrorKind::corrupt, "vocabulary: found {} scores for {} tokens", vocabulary.scores.size(),
         count);
}

}  // namespace

std::unique_ptr<Tokenizer> make_tokenizer(std::shared_ptr<const Vocabulary> vocabulary) {
  check_lists(*vocabulary);
  check_id(*vocabulary, "bos", vocabulary->bos);
  check_id(*vocabulary, "eos", vocabulary->eos);
  check_id(*vocabulary, "eot", vocabulary->eot);
  check_id(*vocabulary, "unknown", vocabulary->unknown);
  check_id(*vocabulary, "padding", vocabulary->padding);
  if (vocabulary->model == "gpt2") return std::make_unique<ByteLevelBpe>(std::move(vocabulary));
  if (vocabulary->model == "llama")
    return std::make_unique<SentencePieceBpe>(std::move(vocabulary));
  fail(ErrorKind::unsupported,
       "tokenizer.ggml.model: '{}' is not supported; use a model whose tokenizer is gpt2 or llama",
       vocabulary->model);
}

}  // namespace cairn::text
