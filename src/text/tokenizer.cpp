#include "text/tokenizer.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/error.h"
#include "text/bert_tokenizer.h"
#include "text/byte_level_bpe.h"
#include "text/gemma4_bpe.h"
#include "text/rwkv_tokenizer.h"
#include "text/sentencepiece_bpe.h"
#include "text/sentencepiece_tokenizer.h"

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

/// A long text's tokens are rarely more than its bytes, and memory that is never written costs
/// nothing; growing by copies would touch it twice.
void reserve_tokens(std::string_view text, Encoding& output) {
  constexpr std::size_t long_text = std::size_t{1} << 16;
  constexpr std::size_t longest_reserve = std::size_t{1} << 26;
  if (text.size() > long_text) output.tokens.reserve(std::min(text.size(), longest_reserve));
}

/// Where control tokens may match: the template's pieces, neighbours joined.
std::vector<TextRange> template_ranges(std::span<const PromptPiece> pieces) {
  std::vector<TextRange> ranges;
  std::size_t begin = 0;
  for (const PromptPiece& piece : pieces) {
    const std::size_t end = begin + piece.text.size();
    if (piece.is_template && end > begin) {
      if (!ranges.empty() && ranges.back().end == begin)
        ranges.back().end = end;
      else
        ranges.push_back({begin, end});
    }
    begin = end;
  }
  return ranges;
}

}  // namespace

std::vector<TokenId> Tokenizer::encode(std::string_view text, EncodeOptions options) const {
  const TextRange everything{0, text.size()};
  Encoding output;
  reserve_tokens(text, output);
  encode_input({.text = text,
                .special_ranges = std::span(&everything, options.parse_special ? 1 : 0),
                .add_special = options.add_special},
               output, false);
  return std::move(output.tokens);
}

Encoding Tokenizer::encode_with_offsets(std::string_view text, EncodeOptions options) const {
  const TextRange everything{0, text.size()};
  Encoding output;
  encode_input({.text = text,
                .special_ranges = std::span(&everything, options.parse_special ? 1 : 0),
                .add_special = options.add_special},
               output, true);
  return output;
}

std::vector<TokenId> Tokenizer::encode_pieces(std::span<const PromptPiece> pieces,
                                              bool add_special) const {
  std::string text;
  for (const PromptPiece& piece : pieces) text += piece.text;
  const std::vector<TextRange> ranges = template_ranges(pieces);
  Encoding output;
  encode_input({.text = text, .special_ranges = ranges, .add_special = add_special}, output, false);
  return std::move(output.tokens);
}

void Tokenizer::decode_next(TokenId token, bool show_control, DecodeState& state,
                            std::string& bytes) const {
  const std::string piece = piece_bytes(token, show_control);
  if (piece.empty()) return;
  const bool strip = state.at_start && strips_leading_space() && piece.front() == ' ';
  state.at_start = false;
  bytes.append(piece, strip ? 1 : 0);
}

std::unique_ptr<Tokenizer> make_tokenizer(std::shared_ptr<const Vocabulary> vocabulary) {
  check_lists(*vocabulary);
  check_id(*vocabulary, "bos", vocabulary->bos);
  check_id(*vocabulary, "eos", vocabulary->eos);
  check_id(*vocabulary, "eot", vocabulary->eot);
  check_id(*vocabulary, "unknown", vocabulary->unknown);
  check_id(*vocabulary, "padding", vocabulary->padding);
  const std::string model = vocabulary->model;
  if (model == "gemma4" || (model == "gpt2" && is_gemma4_pre_tokenizer(vocabulary->pre_tokenizer)))
    return std::make_unique<Gemma4Bpe>(std::move(vocabulary));
  if (model == "gpt2") return std::make_unique<ByteLevelBpe>(std::move(vocabulary));
  if (model == "llama") return std::make_unique<SentencePieceBpe>(std::move(vocabulary));
  if (model == "bert") return std::make_unique<BertTokenizer>(std::move(vocabulary));
  if (model == "rwkv") return std::make_unique<RwkvTokenizer>(std::move(vocabulary));
  if (SentencePieceTokenizer::knows(model))
    return std::make_unique<SentencePieceTokenizer>(std::move(vocabulary));
  fail(ErrorKind::unsupported,
       "tokenizer.ggml.model: '{}' is not supported; use a model whose tokenizer is gpt2, llama, "
       "bert, t5, rwkv or gemma4",
       model);
}

}  // namespace cairn::text
