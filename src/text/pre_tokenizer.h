#pragma once
// How text is cut into the pieces within which byte-pair merges happen, by the name that a model
// file gives (GGUF's tokenizer.ggml.pre).

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text/pattern.h"
#include "text/vocabulary.h"

namespace cairn::text {

/// One family of the table (pre_tokenizer_table.cpp).
struct PreTokenizerRules {
  std::string_view names;                    // separated by blanks
  std::array<std::string_view, 6> patterns;  // each runs on the pieces of the one before
  bool ignore_merges = false;  // a piece that is a token is that token, whatever the merges say
  bool add_bos = false;        // where the file does not say
  bool compose = false;        // Unicode NFC before anything else
};

std::span<const PreTokenizerRules> pre_tokenizers();
/// Throws unsupported, naming `name` and those that are known. An empty name is "default".
const PreTokenizerRules& find_pre_tokenizer(std::string_view name);

/// One line to tell the user where the vocabulary leaves open how its text is cut; else empty.
std::string pre_tokenizer_warning(const Vocabulary& vocabulary);

/// The patterns of one family, compiled. Immutable, thread-safe.
class PreTokenizer {
 public:
  struct Scratch {
    PatternScratch pattern;
    std::vector<std::uint32_t> ends;    // of the pieces: the result
    std::vector<std::uint32_t> coarse;  // of the pieces of the pattern before
    void shrink();                      // gives back the memory of an unusually long text
  };

  explicit PreTokenizer(const PreTokenizerRules& rules);

  /// Cuts `text` (valid UTF-8, under 4 GiB) into pieces, whose ends are left in `scratch.ends`.
  /// Time is linear in the text.
  void split(std::string_view text, Scratch& scratch) const;

 private:
  std::vector<Pattern> patterns_;
};

}  // namespace cairn::text
