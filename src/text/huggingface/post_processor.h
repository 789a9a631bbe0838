#pragma once
// The `post_processor` block of a tokenizer.json: adds BOS, EOS and the like around the tokens of a
// text, and may cut white space off their offsets. Immutable, thread-safe.

#include <cstdint>
#include <string_view>
#include <vector>

#include "text/encoding.h"
#include "text/huggingface/json_document.h"

namespace cairn::text::huggingface {

/// White space at the ends of what a token is called, in characters. Where there is nothing else,
/// all of it is at both ends.
struct SpaceCounts {
  std::uint32_t leading = 0;
  std::uint32_t trailing = 0;
};
SpaceCounts count_spaces(std::string_view text);

class PostProcessor {
 public:
  PostProcessor() = default;  // does nothing
  /// Throws unsupported or corrupt with the path. What it does to pairs of texts is not read.
  PostProcessor(const Field& block, std::size_t token_count);

  /// Both in the order in which they stand.
  std::vector<TokenId> added_before() const;
  std::vector<TokenId> added_after() const;
  void add(TokenId before, TokenId after);  // -1: none

  /// Whether offsets lose white space.
  bool trims() const;

  /// `encoding` has the tokens of `source`, and their offsets if `with_offsets`. `spaces`: by
  /// token, if offsets are trimmed.
  void apply(std::string_view source, bool add_special, bool with_offsets,
             std::vector<SpaceCounts> spaces, Encoding& encoding) const;

 private:
  struct Step {
    bool trims = false;
    bool keeps_first_space = false;
    std::vector<TokenId> before;
    std::vector<TokenId> after;
  };

  void append_step(const Field& block, std::size_t token_count);
  static Step read_template(const Field& block, std::size_t token_count);

  std::vector<Step> steps_;
};

}  // namespace cairn::text::huggingface
