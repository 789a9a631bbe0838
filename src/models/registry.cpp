#include "models/registry.h"

#include <array>
#include <string>

#include "base/error.h"
#include "models/families.h"

namespace cairn::models {
namespace {

struct Family {
  std::string_view architecture;
  std::unique_ptr<Model> (*make)(const checkpoint::Hyperparameters&, backend::Backend&,
                                 const LoadOptions&);
};

// One line an architecture, sorted.
constexpr std::array kFamilies{
    Family{"gemma3", make_gemma3},  // GGUF, and text and images of Hugging Face
    Family{"gemma3_text", make_gemma3}, Family{"llama", make_llama}, Family{"mistral", make_llama},
    Family{"qwen2", make_qwen2},        Family{"qwen3", make_qwen3},
};

[[noreturn]] void fail_unknown(const checkpoint::Hyperparameters& hyperparameters) {
  std::string known;
  for (const Family& family : kFamilies) {
    if (!known.empty()) known += ", ";
    known += family.architecture;
  }
  fail(ErrorKind::unsupported, "{}: architecture \"{}\" is not supported; this build runs {}",
       hyperparameters.checkpoint().metadata().source(), hyperparameters.architecture(), known);
}

}  // namespace

std::unique_ptr<Model> load_model(const checkpoint::Checkpoint& checkpoint,
                                  backend::Backend& backend, const LoadOptions& options) {
  const checkpoint::Hyperparameters hyperparameters(checkpoint);
  for (const Family& family : kFamilies) {
    if (family.architecture == hyperparameters.architecture()) {
      return family.make(hyperparameters, backend, options);
    }
  }
  fail_unknown(hyperparameters);
}

std::vector<std::string_view> supported_architectures() {
  std::vector<std::string_view> names;
  for (const Family& family : kFamilies) names.push_back(family.architecture);
  return names;
}

}  // namespace cairn::models
