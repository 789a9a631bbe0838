#pragma once
// The models that have a name: in cairn's own cache, in Hugging Face's and in Ollama's. Folders
// that are missing or cannot be read hold no models; nothing here throws over them.

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "cli/model_name.h"

namespace cairn::cli {

enum class ModelOrigin { own, hugging_face, ollama };

/// "cairn", "hugging face", "ollama".
const char* name_of(ModelOrigin origin);

struct FoundModel {
  std::string name;  // what resolve_model takes
  std::filesystem::path path;
  std::int64_t size_bytes = 0;
  ModelOrigin origin = ModelOrigin::own;
};

/// By origin, then by name.
std::vector<FoundModel> list_models(const ModelFolders& folders);

}  // namespace cairn::cli
