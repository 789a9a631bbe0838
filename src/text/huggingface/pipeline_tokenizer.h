#pragma once
// A tokenizer of a tokenizer.json's parts: added tokens, normalizers, splitters, model, post
// processor, decoder. Immutable, thread-safe.

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "text/huggingface/added_tokens.h"
#include "text/huggingface/decoder.h"
#include "text/huggingface/model.h"
#include "text/huggingface/normalizer.h"
#include "text/huggingface/post_processor.h"
#include "text/huggingface/splitter.h"
#include "text/piece_cache.h"
#include "text/scratch_pool.h"
#include "text/tokenizer.h"

namespace cairn::text::huggingface {

struct Pipeline {
  std::unique_ptr<PieceIndex> model_index;  // the model's own pieces
  std::unique_ptr<PieceIndex> text_index;   // those that text may become
  std::vector<AddedToken> added_tokens;
  Normalizers normalizers;
  Splitters splitters;
  std::unique_ptr<Model> model;
  PostProcessor post_processor;
  Decoder decoder;
};

class PipelineTokenizer final : public Tokenizer {
 public:
  PipelineTokenizer(std::shared_ptr<const Vocabulary> vocabulary, Pipeline pipeline);

  std::string piece_bytes(TokenId token, bool show_control) const override;
  bool strips_leading_space() const override { return false; }
  std::optional<TokenId> find_piece(std::string_view piece) const override;
  void decode_next(TokenId token, bool show_control, DecodeState& state,
                   std::string& bytes) const override;

 private:
  struct Scratch {
    PreTokenized text;
    Model::Scratch model;
    PieceCache cache;
  };

  void encode_input(const Input& input, Encoding& output, bool with_offsets) const override;
  /// Whether the stages have to know the source of each byte.
  bool needs_alignment(const Input& input, bool with_offsets) const;
  void find_added_tokens(const AddedTokenFinder& finder, const Input& input,
                         PreTokenized& text) const;
  void normalize(PreTokenized& text) const;
  /// Returns the white space at the ends of each token, if the post-processor wants it.
  std::vector<SpaceCounts> encode_splits(const Input& input, bool with_offsets, Scratch& scratch,
                                         Encoding& output) const;
  void encode_word(std::string_view word, Scratch& scratch, std::vector<TokenId>& tokens) const;
  void encode_aligned_word(const Split& split, Scratch& scratch, Encoding& output) const;
  /// The white space of what the last tokens, those of `split`, are called: an added token as it
  /// stands in `source`.
  void append_spaces(std::string_view source, const Split& split, const Scratch& scratch,
                     std::vector<SpaceCounts>& spaces) const;

  Pipeline pipeline_;
  AddedTokenFinder source_finder_;
  AddedTokenFinder normalized_finder_;
  std::vector<const AddedToken*> added_by_token_;  // or null
  bool needs_sources_ = false;
  mutable ScratchPool<Scratch> scratches_;
};

}  // namespace cairn::text::huggingface
