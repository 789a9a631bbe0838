#pragma once
// What a BPE model's block says, but for its pieces.

#include <string>
#include <string_view>

#include "base/function_ref.h"
#include "text/huggingface/json_document.h"
#include "text/huggingface/model.h"
#include "text/merge.h"

namespace cairn::text::huggingface {

struct BpeOptions {
  TokenId unknown{-1};
  std::string prefix;  // of all characters of a word but the first
  std::string suffix;  // of the last
  bool fuse_unknown = false;
  bool byte_fallback = false;
  bool ignore_merges = false;
};

/// Throws unsupported or corrupt with the path.
BpeOptions read_bpe_options(const Field& block, const PieceIndex& index);

struct ReadMerge {
  std::string_view left;  // as the pieces are written
  std::string_view right;
  TokenId left_token;
  TokenId right_token;
  Merge merge;
};

/// `add(merge)` for each merge that text can take, the best first. Throws corrupt with the path.
/// Right pieces begin with a prefix of `prefix_bytes`, which joined ones do not have.
void read_merges(const Field& list, ModelPieces pieces, std::size_t prefix_bytes,
                 base::FunctionRef<void(const ReadMerge&)> add);

}  // namespace cairn::text::huggingface
