#pragma once
// Requests of an experiment, from a committed file: one a line, '#' begins a comment.
//
//   arrival_ms prompt_tokens output_tokens                          shares nothing
//   arrival_ms prompt_tokens output_tokens prefix ID PREFIX_TOKENS  begins like others with this ID
//   arrival_ms prompt_tokens output_tokens turn ID                  the next turn of a
//   conversation:
//                                                                   prompt_tokens are its new ones

#include <cstdint>
#include <filesystem>
#include <vector>

#include "base/ids.h"

namespace cairn::simulation {

enum class Sharing { none, prefix, turn };

struct LoadRequest {
  double arrival_seconds = 0;
  std::int32_t prompt_tokens = 0;
  std::int32_t output_tokens = 0;
  Sharing sharing = Sharing::none;
  std::int32_t shared_id = 0;
  std::int32_t prefix_tokens = 0;
};

/// Throws not_found or corrupt with the line.
std::vector<LoadRequest> read_load(const std::filesystem::path& path);

/// The prompts, by request. A turn's prompt begins with the one before and what was generated for
/// it (schedule/counting_executor draws that).
std::vector<std::vector<TokenId>> prompts_of(const std::vector<LoadRequest>& load);

/// What the counting executor draws behind `tokens`.
void append_generated(std::vector<TokenId>& tokens, std::int32_t count);

/// Tokens of all prompts are below this.
inline constexpr std::int32_t kLoadVocabulary = 50'000;

}  // namespace cairn::simulation
