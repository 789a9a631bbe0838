#pragma once
// Tensor names. Models ask for GGUF's ("blk.3.attn_q.weight"); Hugging Face folders call the same
// tensor "model.layers.3.self_attn.q_proj.weight".

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cairn::checkpoint {

/// One line of the map, without ".weight" or ".bias" and, within a layer, without what stands
/// before it: {"attn_q", "self_attn.q_proj"}.
struct NamePair {
  std::string_view gguf;
  std::string_view hugging_face;
};

/// The names under which a Hugging Face folder may hold the tensor, likeliest first: the model's
/// own, and those within a model of several media. Empty if there is no such name. `overrides` are
/// a family's own pairs and come before the common ones. Thread-safe.
std::vector<std::string> hugging_face_names(std::string_view gguf_name,
                                            std::span<const NamePair> overrides);

}  // namespace cairn::checkpoint
