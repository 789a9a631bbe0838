#pragma once
// The `pre_tokenizer` block of a tokenizer.json: cuts a text into words, and may rewrite them.
// Immutable, thread-safe.

#include <memory>
#include <vector>

#include "text/huggingface/json_document.h"
#include "text/huggingface/pre_tokenized.h"

namespace cairn::text::huggingface {

class Splitter {
 public:
  virtual ~Splitter() = default;
  virtual void apply(PreTokenized& text) const = 0;
  /// Whether what it does depends on where a split stands in the source: needs alignment.
  virtual bool needs_sources() const { return false; }
};

using Splitters = std::vector<std::unique_ptr<Splitter>>;

struct SplitterList {
  Splitters steps;
  bool leaves_bytes = false;
};

/// The block's steps in order, sequences opened. Throws unsupported or corrupt with the path. Where
/// all ends with bytes written in GPT-2's alphabet and `leave_bytes`, that is left to a model that
/// reads bytes, and `leaves_bytes` is set.
SplitterList read_splitters(const Field& block, bool leave_bytes);

SplitBehavior read_behavior(const Field& name);

// The readers of single steps, each in its own file.
std::unique_ptr<Splitter> make_byte_level_splitter(const Field& block, bool leave_bytes);
std::unique_ptr<Splitter> make_metaspace_splitter(const Field& block);
std::unique_ptr<Splitter> make_pattern_splitter(const Field& block);
std::unique_ptr<Splitter> make_script_splitter();
/// Null for a type that does not cut by classes of characters.
std::unique_ptr<Splitter> make_character_splitter(const Field& block);

}  // namespace cairn::text::huggingface
