#pragma once
// The `decoder` block of a tokenizer.json, as a stream: what each token adds to the text, given the
// ones before. Immutable, thread-safe.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "text/huggingface/json_document.h"
#include "text/tokenizer.h"

namespace cairn::text::huggingface {

/// One step: changes the text of a token.
class DecoderStep {
 public:
  virtual ~DecoderStep() = default;
  virtual void apply(const DecodeState& state, std::string& text) const = 0;
};

class Decoder {
 public:
  Decoder() = default;  // blanks between tokens
  /// Throws unsupported or corrupt with the path; unsupported also where the block cannot be
  /// applied token by token.
  explicit Decoder(const Field& block);
  ~Decoder();
  Decoder(Decoder&&) noexcept;
  Decoder& operator=(Decoder&&) noexcept;

  /// Appends what `token`, written `piece`, adds to the stream, and moves `state` on.
  void append(TokenId token, std::string_view piece, DecodeState& state, std::string& bytes) const;

 private:
  /// Strips characters from the ends of the stream as a whole.
  struct StreamStrip {
    std::string character;
    std::uint32_t start = 0;
    std::uint32_t stop = 0;
  };

  void append_step(const Field& block);
  void append_stripped(std::string_view text, DecodeState& state, std::string& bytes) const;

  std::vector<std::unique_ptr<DecoderStep>> steps_;
  StreamStrip strip_;
  std::string word_suffix_;  // ends a word: becomes a blank where another token follows
  bool joins_with_blanks_ = true;
  bool skips_repeated_ = false;
  bool is_fused_ = false;  // while reading: the rest sees one text
};

/// A step that looks at one token alone, or null for a type that is none.
std::unique_ptr<DecoderStep> make_decoder_step(const Field& block);

}  // namespace cairn::text::huggingface
