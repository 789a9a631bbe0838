#pragma once
// DRY's breakers as tokens: strings that a repeat cannot reach across.

#include <memory>
#include <span>
#include <string>

#include "schedule/sampling_parameters.h"
#include "text/tokenizer.h"

namespace cairn::engine {

/// All ways in which tokens can spell the strings: tokens that contain one, and tokens that end
/// with its beginning, followed by the rest. Reads the whole vocabulary: keep the result and share
/// it (SamplingParameters::dry_breaker_table).
std::shared_ptr<const schedule::BreakerTable> make_breaker_table(
    const text::Tokenizer& tokenizer, std::span<const std::string> breakers);

}  // namespace cairn::engine
