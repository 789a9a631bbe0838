#include "nn/linear.h"

#include <string>

namespace cairn::nn {

Linear::Linear(const Loader& loader, std::string_view name, std::int64_t outputs,
               std::int64_t inputs)
    : loaded_(loader.weight(std::string(name) + ".weight", outputs, inputs,
                            backend::WeightUse::matmul)),
      bias_(loader.optional_vector(std::string(name) + ".bias", outputs)) {}

}  // namespace cairn::nn
