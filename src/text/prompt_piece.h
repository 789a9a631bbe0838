#pragma once
// What a chat template renders to: text that knows who wrote it.

#include <string>

namespace cairn::text {

/// A part of a prompt: only the template's own may match control tokens, so that nobody can write
/// one into a conversation. Ordinary text across a border is tokenized as one string.
struct PromptPiece {
  std::string text;
  bool is_template = false;
};

}  // namespace cairn::text
