#pragma once
// Text to token ids and back, exactly as the model was trained. Immutable, thread-safe.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "text/encoding.h"
#include "text/prompt_piece.h"
#include "text/vocabulary.h"

namespace cairn::text {

struct EncodeOptions {
  bool add_special = true;     // BOS and EOS where the model wants them
  bool parse_special = false;  // "<|im_end|>" in the text becomes the control token
};

/// What decoding remembers from token to token of one stream.
struct DecodeState {
  bool at_start = true;  // no token has been decoded yet
  TokenId previous{-1};
  bool owes_blank = false;      // one is due if another token follows
  std::uint32_t stripped = 0;   // leading characters dropped so far
  bool strips = true;           // and more may follow
  std::uint32_t held_back = 0;  // trailing characters that are dropped if nothing follows
};

class Tokenizer {
 public:
  virtual ~Tokenizer() = default;

  /// Any bytes are accepted; invalid UTF-8 is encoded as the model's byte tokens or U+FFFD.
  std::vector<TokenId> encode(std::string_view text, EncodeOptions options) const;
  Encoding encode_with_offsets(std::string_view text, EncodeOptions options) const;
  /// A prompt: control tokens match only within the template's pieces (neighbours are one), so that
  /// content cannot forge one. Ordinary text across a border is encoded as one string.
  std::vector<TokenId> encode_pieces(std::span<const PromptPiece> pieces, bool add_special) const;

  /// The bytes that a token adds to a stream (possibly part of a character). Control tokens give
  /// nothing unless `show_control`.
  virtual std::string piece_bytes(TokenId token, bool show_control) const = 0;
  /// SentencePiece models drop the space that encode() put before the text.
  virtual bool strips_leading_space() const = 0;
  /// Appends the bytes that the next token of a stream adds; a new stream begins with a new state.
  /// Differs from piece_bytes() where the stream's first token does, or where neighbours matter.
  virtual void decode_next(TokenId token, bool show_control, DecodeState& state,
                           std::string& bytes) const;

  const Vocabulary& vocabulary() const { return *vocabulary_; }
  /// The id of a piece that stands in the vocabulary literally, e.g. "<|im_end|>".
  virtual std::optional<TokenId> find_piece(std::string_view piece) const = 0;

 protected:
  using Input = TokenizerInput;

  explicit Tokenizer(std::shared_ptr<const Vocabulary> vocabulary)
      : vocabulary_(std::move(vocabulary)) {}

  /// Appends the tokens of `input` to `output`, and their offsets if `with_offsets`. User-defined
  /// tokens match everywhere, control tokens within the input's special ranges.
  virtual void encode_input(const Input& input, Encoding& output, bool with_offsets) const = 0;

 private:
  std::shared_ptr<const Vocabulary> vocabulary_;
};

/// Throws unsupported, naming the tokenizer model or pre-tokenizer, or corrupt.
std::unique_ptr<Tokenizer> make_tokenizer(std::shared_ptr<const Vocabulary> vocabulary);

}  // namespace cairn::text
