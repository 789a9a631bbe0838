#pragma once
// RWKV's "World" tokenizer: at each position the longest piece, any bytes. Pieces are written in
// files as Python writes bytes: "\x01", "\n", "\\", "\'".

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "text/piece_index.h"
#include "text/piece_trie.h"
#include "text/special_tokens.h"
#include "text/tokenizer.h"

namespace cairn::text {

/// The bytes of an escaped piece; nothing where an escape is none.
std::optional<std::string> unescape_rwkv_piece(std::string_view piece);

class RwkvTokenizer final : public Tokenizer {
 public:
  /// Throws corrupt where a piece is not escaped as it must be.
  explicit RwkvTokenizer(std::shared_ptr<const Vocabulary> vocabulary);

  std::string piece_bytes(TokenId token, bool show_control) const override;
  bool strips_leading_space() const override { return false; }
  /// The piece as the file writes it.
  std::optional<TokenId> find_piece(std::string_view piece) const override;

 protected:
  /// A byte that begins no piece becomes the unknown token, or nothing where there is none.
  void encode_input(const Input& input, Encoding& output, bool with_offsets) const override;

 private:
  void encode_text(std::string_view text, std::size_t begin, Encoding& output,
                   bool with_offsets) const;

  SpecialTokens special_tokens_;
  std::vector<std::string> bytes_;  // by TokenId: what the piece stands for
  PieceIndex literal_index_;
  PieceTrie trie_;
};

}  // namespace cairn::text
