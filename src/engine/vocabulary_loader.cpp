#include "engine/vocabulary_loader.h"

#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "text/end_of_generation.h"
#include "text/gemma4_bpe.h"
#include "text/pre_tokenizer.h"
#include "text/strip_rules.h"

namespace cairn::engine {

namespace {

using checkpoint::Metadata;
using text::BertRules;
using text::SentencePieceRules;
using text::TokenKind;
using text::Vocabulary;

constexpr const char* kModelKey = "tokenizer.ggml.model";
constexpr const char* kTokensKey = "tokenizer.ggml.tokens";

void check_length(const Metadata& metadata, const char* key, std::size_t found,
                  std::size_t expected) {
  if (found != expected)
    fail(ErrorKind::corrupt, "{}: {}: found {} entries, expected {}, one for each token",
         metadata.source(), key, found, expected);
}

void load_pieces(const Metadata& metadata, Vocabulary& vocabulary) {
  const std::vector<std::string>* pieces = metadata.texts(kTokensKey);
  if (pieces == nullptr || pieces->empty())
    fail(ErrorKind::corrupt, "{}: {}: found no tokens; get the file anew", metadata.source(),
         kTokensKey);
  if (pieces->size() > std::numeric_limits<std::int32_t>::max())
    fail(ErrorKind::corrupt, "{}: {}: found {} tokens, expected at most {}", metadata.source(),
         kTokensKey, pieces->size(), std::numeric_limits<std::int32_t>::max());
  vocabulary.pieces = *pieces;
}

void load_kinds(const Metadata& metadata, Vocabulary& vocabulary) {
  constexpr const char* key = "tokenizer.ggml.token_type";
  const std::vector<std::int64_t>* kinds = metadata.integers(key);
  if (kinds == nullptr) return;
  check_length(metadata, key, kinds->size(), vocabulary.pieces.size());
  vocabulary.kinds.reserve(kinds->size());
  for (std::size_t i = 0; i < kinds->size(); ++i) {
    // 0 is "undefined": written by old converters for ordinary tokens.
    const std::int64_t kind = (*kinds)[i] == 0 ? 1 : (*kinds)[i];
    if (kind < 1 || kind > 6)
      fail(ErrorKind::corrupt, "{}: {}: token {} has type {}, expected 1 to 6", metadata.source(),
           key, i, kind);
    vocabulary.kinds.push_back(static_cast<TokenKind>(kind));
  }
}

void load_scores(const Metadata& metadata, Vocabulary& vocabulary) {
  constexpr const char* key = "tokenizer.ggml.scores";
  const std::vector<double>* scores = metadata.numbers(key);
  if (scores == nullptr) return;
  check_length(metadata, key, scores->size(), vocabulary.pieces.size());
  vocabulary.scores.reserve(scores->size());
  for (const double score : *scores) vocabulary.scores.push_back(static_cast<float>(score));
}

std::optional<TokenId> load_id(const Metadata& metadata, const Vocabulary& vocabulary,
                               const char* key) {
  const std::optional<std::int64_t> id = metadata.integer(key);
  // Converters write 0xFFFFFFFF or -1 for "none".
  if (!id || *id == -1 || *id == std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
  const auto count = static_cast<std::int64_t>(vocabulary.pieces.size());
  if (*id < 0 || *id >= count)
    fail(ErrorKind::corrupt, "{}: {}: found {}, expected 0 to {}", metadata.source(), key, *id,
         count - 1);
  return TokenId(static_cast<std::int32_t>(*id));
}

void load_special_tokens(const Metadata& metadata, Vocabulary& vocabulary) {
  vocabulary.bos = load_id(metadata, vocabulary, "tokenizer.ggml.bos_token_id");
  vocabulary.eos = load_id(metadata, vocabulary, "tokenizer.ggml.eos_token_id");
  vocabulary.eot = load_id(metadata, vocabulary, "tokenizer.ggml.eot_token_id");
  vocabulary.unknown = load_id(metadata, vocabulary, "tokenizer.ggml.unknown_token_id");
  vocabulary.padding = load_id(metadata, vocabulary, "tokenizer.ggml.padding_token_id");
  if (vocabulary.model != "bert") return;
  // BERT's texts stand between its own tokens.
  if (const auto token = load_id(metadata, vocabulary, "tokenizer.ggml.cls_token_id"))
    vocabulary.bos = token;
  if (const auto token = load_id(metadata, vocabulary, "tokenizer.ggml.seperator_token_id"))
    vocabulary.eos = token;
}

/// SentencePiece's normalizer. The compiled rules stand in the file as a list of bytes.
SentencePieceRules load_sentence_piece_rules(const Metadata& metadata) {
  SentencePieceRules rules;
  rules.remove_extra_spaces =
      metadata.boolean("tokenizer.ggml.remove_extra_whitespaces").value_or(false);
  constexpr const char* key = "tokenizer.ggml.precompiled_charsmap";
  if (metadata.find(key) == nullptr) return rules;
  if (const std::vector<std::int64_t>* bytes = metadata.integers(key))
    for (const std::int64_t byte : *bytes)
      rules.precompiled_map.push_back(static_cast<char>(static_cast<std::uint8_t>(byte)));
  return rules;
}

BertRules load_bert_rules(const Metadata& metadata, bool usually_lowercase) {
  BertRules rules;
  rules.lowercase =
      metadata.boolean("tokenizer.ggml.normalizer.lowercase").value_or(usually_lowercase);
  rules.strip_accents =
      metadata.boolean("tokenizer.ggml.normalizer.strip_accents").value_or(rules.lowercase);
  return rules;
}

/// What models of this kind want where the file does not say.
struct UsualRules {
  bool add_bos = false;
  bool add_eos = false;
  bool add_space_prefix = false;
};

UsualRules usual_rules(const Metadata& metadata, const Vocabulary& vocabulary) {
  const std::string& model = vocabulary.model;
  if (model == "llama") return {.add_bos = true, .add_space_prefix = true};
  if (model == "t5") return {.add_eos = true, .add_space_prefix = true};
  if (model == "bert") return {.add_bos = true, .add_eos = true};
  if (model == "gemma4") return {.add_bos = true};
  if (model != "gpt2" || text::is_gemma4_pre_tokenizer(vocabulary.pre_tokenizer)) return {};
  try {
    return {.add_bos = text::find_pre_tokenizer(vocabulary.pre_tokenizer).add_bos};
  } catch (const Error& error) {
    fail(error.kind(), "{}: {}", metadata.source(), error.message());
  }
}

void load_rules(const Metadata& metadata, Vocabulary& vocabulary) {
  const UsualRules usual = usual_rules(metadata, vocabulary);
  vocabulary.add_bos = metadata.boolean("tokenizer.ggml.add_bos_token").value_or(usual.add_bos);
  const char* add_eos =
      vocabulary.model == "bert" ? "tokenizer.ggml.add_sep_token" : "tokenizer.ggml.add_eos_token";
  vocabulary.add_eos = metadata.boolean(add_eos).value_or(usual.add_eos);
  vocabulary.add_space_prefix =
      metadata.boolean("tokenizer.ggml.add_space_prefix").value_or(usual.add_space_prefix);
  if (vocabulary.model == "t5") vocabulary.sentence_piece = load_sentence_piece_rules(metadata);
  // Of BERT's rules the pre-tokenizer "whitespace" reads one: letters are lowered if the file says
  // so.
  vocabulary.bert = load_bert_rules(metadata, vocabulary.model == "bert");
}

}  // namespace

bool has_vocabulary(const checkpoint::Checkpoint& checkpoint) {
  return checkpoint.metadata().find(kTokensKey) != nullptr;
}

std::shared_ptr<const Vocabulary> load_vocabulary(const checkpoint::Checkpoint& checkpoint,
                                                  const std::string& pre_tokenizer) {
  const Metadata& metadata = checkpoint.metadata();
  if (!has_vocabulary(checkpoint)) {
    fail(ErrorKind::not_found, "{}: {} is missing; use a file that carries its vocabulary",
         checkpoint.path().string(), kTokensKey);
  }
  auto vocabulary = std::make_shared<Vocabulary>();
  const std::optional<std::string> model = metadata.text(kModelKey);
  if (!model)
    fail(ErrorKind::corrupt, "{}: {} is missing, expected the kind of tokenizer", metadata.source(),
         kModelKey);
  vocabulary->model = *model;
  vocabulary->pre_tokenizer =
      pre_tokenizer.empty() ? metadata.text("tokenizer.ggml.pre").value_or("") : pre_tokenizer;
  load_pieces(metadata, *vocabulary);
  load_kinds(metadata, *vocabulary);
  load_scores(metadata, *vocabulary);
  if (const auto* merges = metadata.texts("tokenizer.ggml.merges")) vocabulary->merges = *merges;
  load_special_tokens(metadata, *vocabulary);
  load_rules(metadata, *vocabulary);
  if (const auto eom = load_id(metadata, *vocabulary, "tokenizer.ggml.eom_token_id"))
    vocabulary->end_of_generation.push_back(*eom);
  text::find_end_of_generation(*vocabulary);
  text::find_strip_rules(*vocabulary, metadata.text("general.name").value_or(""),
                         metadata.text("general.architecture").value_or(""));
  vocabulary->chat_template = metadata.text("tokenizer.chat_template").value_or("");
  return vocabulary;
}

}  // namespace cairn::engine
