#pragma once
// How `cairn bench --profile` shows where the time of a test's steps went, beside what each op
// moves and computes and the machine's limits.

#include <array>
#include <string>

#include "backend/cost/cost.h"
#include "backend/op_kind.h"
#include "cli/step_profile.h"
#include "perf/rates.h"

namespace cairn::cli {

/// What the ops of a mean step cost, by backend::OpKind.
using OpCosts = std::array<backend::Cost, backend::kOpKindCount>;

std::string profile_table(const StepProfile& profile, const OpCosts& costs,
                          const perf::Rates& rates);
/// An object.
std::string profile_json(const StepProfile& profile, const OpCosts& costs,
                         const perf::Rates& rates);

}  // namespace cairn::cli
