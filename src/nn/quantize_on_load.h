#pragma once
// `--weights q8_0`: 16- and 32-bit matrices become a smaller format while they load.

#include "backend/backend.h"
#include "nn/load_options.h"

namespace cairn::nn {

/// The format that `view` should have under `options`: options.quantize_to, q8_0 where its rows do
/// not divide, or its own where it is quantized already or nothing divides.
DType target_format(const backend::WeightView& view, const LoadOptions& options);

/// The values of `view`, encoded to the nearest in `target`, row by row. Split over the threads of
/// options.context.
Buffer encode_as(const backend::WeightView& view, DType target, const LoadOptions& options);

}  // namespace cairn::nn
