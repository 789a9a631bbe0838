#include "text/huggingface/tokenizer_file.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "text/end_of_generation.h"
#include "text/huggingface/pipeline_tokenizer.h"
#include "text/huggingface/tokenizer_config.h"
#include "text/huggingface/vocabulary_reader.h"

namespace cairn::text::huggingface {

namespace {

void check_version(const Field& root) {
  const auto version = root.find("version");
  if (version && version->text() != "1.0") version->unsupported("is no version that cairn knows");
}

std::unique_ptr<Model> make_model(ModelKind kind, const Field& block, ModelPieces pieces,
                                  bool reads_bytes) {
  switch (kind) {
    case ModelKind::bpe:
      return reads_bytes ? make_byte_bpe_model(block, pieces) : make_bpe_model(block, pieces);
    case ModelKind::unigram:
      return make_unigram_model(block, pieces);
    case ModelKind::word_piece:
      return make_word_piece_model(block, pieces);
    case ModelKind::word_level:
      return make_word_level_model(block, pieces);
  }
  return nullptr;
}

/// The post-processor of the file; where it adds nothing, the configuration has a say.
PostProcessor read_post_processor(const Field& root, const TokenizerConfig& config,
                                  const Vocabulary& vocabulary) {
  PostProcessor processor;
  if (const auto block = root.find("post_processor"))
    processor = PostProcessor(*block, vocabulary.pieces.size());
  if (!processor.added_before().empty() || !processor.added_after().empty()) return processor;
  const auto wanted = [](std::optional<bool> wants, std::optional<TokenId> token) {
    return wants.value_or(false) ? token.value_or(TokenId(-1)) : TokenId(-1);
  };
  processor.add(wanted(config.add_bos, vocabulary.bos), wanted(config.add_eos, vocabulary.eos));
  return processor;
}

/// What a text is put between says which tokens begin and end it, if nothing else does.
void fill_from_processor(const PostProcessor& processor, Vocabulary& vocabulary) {
  const std::vector<TokenId> before = processor.added_before();
  const std::vector<TokenId> after = processor.added_after();
  vocabulary.add_bos = !before.empty();
  vocabulary.add_eos = !after.empty();
  if (!vocabulary.bos && before.size() == 1) vocabulary.bos = before.front();
  if (!vocabulary.eos && after.size() == 1) vocabulary.eos = after.front();
}

}  // namespace

std::unique_ptr<Tokenizer> read_tokenizer(std::string_view tokenizer_json,
                                          std::string_view tokenizer_config_json,
                                          std::string_view special_tokens_map_json) {
  const TokenizerConfig config =
      read_tokenizer_config(tokenizer_config_json, special_tokens_map_json);
  const JsonDocument document(tokenizer_json, "tokenizer.json");
  const Field root = document.root();
  check_version(root);
  const Field model = root.at("model");
  const ModelKind kind = read_model_kind(model);

  Pipeline pipeline;
  if (const auto block = root.find("normalizer")) pipeline.normalizers = read_normalizers(*block);
  auto vocabulary = std::make_shared<Vocabulary>();
  read_model_pieces(model, kind, *vocabulary);
  if (const auto list = root.find("added_tokens")) {
    pipeline.added_tokens = read_added_tokens(*list);
    place_added_tokens(*list, pipeline.added_tokens, *vocabulary);
  }
  for (AddedToken& added : pipeline.added_tokens)
    added.pattern =
        added.normalized ? normalize(pipeline.normalizers, added.content) : added.content;
  fill_special_tokens(config, model, pipeline.added_tokens, *vocabulary);
  pipeline.post_processor = read_post_processor(root, config, *vocabulary);
  fill_from_processor(pipeline.post_processor, *vocabulary);
  find_end_of_generation(*vocabulary);

  pipeline.model_index = index_model_pieces(model, kind, *vocabulary, true);
  pipeline.text_index = index_model_pieces(model, kind, *vocabulary, false);
  const ModelPieces pieces{vocabulary->pieces, *pipeline.model_index, *pipeline.text_index};
  bool reads_bytes = kind == ModelKind::bpe && can_read_bytes(model, pieces);
  if (const auto block = root.find("pre_tokenizer")) {
    SplitterList list = read_splitters(*block, reads_bytes);
    pipeline.splitters = std::move(list.steps);
    reads_bytes = list.leaves_bytes;
  } else {
    reads_bytes = false;
  }
  pipeline.model = make_model(kind, model, pieces, reads_bytes);
  if (const auto block = root.find("decoder")) pipeline.decoder = Decoder(*block);
  return std::make_unique<PipelineTokenizer>(std::move(vocabulary), std::move(pipeline));
}

}  // namespace cairn::text::huggingface
