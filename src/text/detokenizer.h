#pragma once
// Tokens to text, streamed: only whole UTF-8 leaves, and text that may turn out to be a stop string
// is held back. What leaves in total depends on the tokens alone, not on how they arrive. One per
// sequence; not thread-safe.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "text/tokenizer.h"

namespace cairn::text {

class Detokenizer {
 public:
  /// `tokenizer` must outlive this. Stop strings end the stream and are not part of it; of several,
  /// the one that is complete first, then the longest. Empty ones are ignored; they are
  /// read like the text, invalid UTF-8 as U+FFFD.
  Detokenizer(const Tokenizer& tokenizer, std::vector<std::string> stop_strings,
              bool show_control = false);

  /// Text that became certain with this token; may be empty.
  std::string push(TokenId token);
  /// What was held back, when the stream ends. Incomplete UTF-8 becomes U+FFFD.
  std::string finish();
  /// The stop string that was met, or empty. After that, push() gives nothing.
  std::string_view stop_string() const { return stop_string_; }
  bool stopped() const { return stopped_; }

 private:
  std::string release(bool at_end);
  bool find_stop(std::size_t& begin);
  std::size_t undecided_suffix() const;

  const Tokenizer& tokenizer_;
  std::vector<std::string> stop_strings_;
  bool show_control_;
  DecodeState state_;
  bool stopped_ = false;
  std::string bytes_;  // may end within a character
  std::string held_;   // whole characters that may begin a stop string
  std::string stop_string_;
};

/// The text of all tokens at once: equals the concatenated stream.
std::string decode(const Tokenizer& tokenizer, std::span<const TokenId> tokens,
                   bool show_control = false);

}  // namespace cairn::text
