#pragma once
// The measurements of `cairn bench`: prefill and decode through the engine, at a batch and a depth.

#include <cstdint>

#include "cli/step_profile.h"
#include "engine/loaded_model.h"
#include "engine/session.h"

namespace cairn::cli {

struct SpeedTest {
  enum class Kind { prefill, decode };
  Kind kind = Kind::decode;
  std::int32_t prompt = 0;    // tokens whose prefill is timed; decode: 0
  std::int32_t generate = 0;  // tokens a request generates; prefill: 0
  std::int32_t batch = 1;     // requests at once
  std::int32_t depth = 0;     // tokens of context behind which it is timed
};

/// Tokens per second of all requests together. Takes KV memory for the test and gives it back.
/// `profile` gets the steps that count; may be null.
double measure_speed(engine::LoadedModel& loaded, const EngineOptions& options,
                     const SpeedTest& test, StepProfile* profile = nullptr);

}  // namespace cairn::cli
