#pragma once
// Byte-pair encoding on characters (Gemma 4): spaces are written U+2581, lines start as their
// characters and merge by rank, and characters without a piece become byte tokens ("<0x41>"), or
// the unknown token where there are none; so do bytes that are no valid UTF-8. A run of newlines
// that is a piece is that piece.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "text/byte_pieces.h"
#include "text/merge.h"
#include "text/merge_table.h"
#include "text/piece_index.h"
#include "text/scratch_pool.h"
#include "text/space_borders.h"
#include "text/special_tokens.h"
#include "text/token_range.h"
#include "text/tokenizer.h"

namespace cairn::text {

/// Whether a byte-pair vocabulary with this `tokenizer.ggml.pre` is one of these.
bool is_gemma4_pre_tokenizer(std::string_view name);

class Gemma4Bpe final : public Tokenizer {
 public:
  /// Throws corrupt where a merge is none.
  explicit Gemma4Bpe(std::shared_ptr<const Vocabulary> vocabulary);

  std::string piece_bytes(TokenId token, bool show_control) const override;
  bool strips_leading_space() const override { return vocabulary().add_space_prefix; }
  std::optional<TokenId> find_piece(std::string_view piece) const override;

 protected:
  void encode_input(const Input& input, Encoding& output, bool with_offsets) const override;

 private:
  struct Scratch {
    std::string escaped;
    std::vector<std::uint32_t> sources;  // by byte of `escaped` and for its end: the text's byte
    SymbolList symbols;
    std::vector<TokenRange> ranges;
  };

  void fill_indices();
  void fill_merges();
  void escape(std::string_view text, bool with_sources, Scratch& scratch) const;
  void lower(std::string_view text, bool with_sources, Scratch& scratch) const;
  void encode_lines(Scratch& scratch) const;
  void encode_words(Scratch& scratch) const;
  void encode_text(std::string_view text, std::size_t begin, Scratch& scratch, Encoding& output,
                   bool with_offsets) const;
  void encode_line(std::string_view text, std::uint32_t begin, std::uint32_t end,
                   Scratch& scratch) const;
  void merge_word(std::string_view text, std::uint32_t begin, std::uint32_t end,
                  Scratch& scratch) const;

  bool takes_words_;
  SpecialTokens special_tokens_;
  ByteTokens byte_tokens_;
  PieceIndex literal_index_;  // every piece
  PieceIndex text_index_;     // those that text can become
  SpaceBorders borders_;
  MergeTable merges_;
  mutable ScratchPool<Scratch> scratches_;
};

}  // namespace cairn::text
