#pragma once
// The `normalizer` block of a tokenizer.json: what is done to a text before it is cut. Immutable,
// thread-safe.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "text/huggingface/aligned_text.h"
#include "text/huggingface/json_document.h"

namespace cairn::text::huggingface {

class Normalizer {
 public:
  virtual ~Normalizer() = default;
  /// True where the text (valid UTF-8) surely stays as it is.
  virtual bool leaves(std::string_view /*text*/) const { return false; }
  /// Writes the normalized text of rewriter.old_text(), which is not empty.
  virtual void apply(Rewriter& rewriter) const = 0;
};

using Normalizers = std::vector<std::unique_ptr<Normalizer>>;

/// The block's steps in order, sequences opened. Throws unsupported or corrupt with the path.
Normalizers read_normalizers(const Field& block);

/// `text` after all steps.
std::string normalize(const Normalizers& normalizers, std::string_view text);

// The readers of single steps, each in its own file.
std::unique_ptr<Normalizer> make_replace_normalizer(const Field& block);
std::unique_ptr<Normalizer> make_precompiled_normalizer(const Field& block);
/// Clean text, spaced ideographs, no accents, lower case.
void append_bert_normalizers(const Field& block, Normalizers& normalizers);
std::unique_ptr<Normalizer> make_lowercase_normalizer();
std::unique_ptr<Normalizer> make_form_normalizer(std::string_view name);  // "NFC", ...

}  // namespace cairn::text::huggingface
