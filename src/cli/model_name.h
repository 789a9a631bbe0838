#pragma once
// From what a person types to a file or folder.

#include <filesystem>
#include <string>

namespace cairn::cli {

/// Where models lie. Any of them may be missing.
struct ModelFolders {
  std::filesystem::path own;           // <cache>/models: what `cairn pull` fetched
  std::filesystem::path hugging_face;  // $HF_HUB_CACHE, else $HF_HOME/hub
  std::filesystem::path ollama;        // $OLLAMA_MODELS, else ~/.ollama/models
};

/// The folders that the environment names.
ModelFolders model_folders();

/// A file or folder, or else a name, looked for in cairn's own models, the Hugging Face cache
/// ("owner/repository[/file]", or any part of it from the repository on) and Ollama's
/// ("name[:tag]"), in this order. ".gguf" may be left out. Throws not_found that says where it
/// looked, or invalid_argument that lists the candidates if a name fits several.
std::filesystem::path resolve_model(const std::string& name, const ModelFolders& folders);
std::filesystem::path resolve_model(const std::string& name);

}  // namespace cairn::cli
