#pragma once
// One line about what an answer cost and how near the machine's limit it came.

#include <string>

#include "cli/answer_printer.h"
#include "engine/engine_options.h"
#include "engine/loaded_model.h"

namespace cairn::cli {

/// "31 prompt tokens, first token after 48 ms (646 tok/s), 120 tokens at 83.4 tok/s, 97.6 MB read
/// per token: 52 % of 15.6 GB/s". The first call on a machine measures its read bandwidth.
std::string statistics_line(const AnswerTimes& times, const engine::LoadedModel& loaded,
                            const EngineOptions& options);

}  // namespace cairn::cli
