#include "cli/model_name.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "base/error.h"
#include "cli/model_list.h"
#include "cli/paths.h"

namespace cairn::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kCandidatesShown = 5;

fs::path environment_path(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr ? fs::path(value) : fs::path();
}

std::string without_gguf(std::string_view name) {
  return std::string(name.ends_with(".gguf") ? name.substr(0, name.size() - 5) : name);
}

enum class Fit { none, part, whole };

// `query` names a Hugging Face model by any part of "owner/repository/file" that starts at a slash
// and reaches past the owner.
Fit fit_of_path(const std::string& name, const std::string& query) {
  const std::string wanted = without_gguf(query);
  const std::string full = without_gguf(name);
  if (full == wanted) return Fit::whole;
  const std::size_t owner_end = full.find('/');
  for (std::size_t start = 0; start != std::string::npos;) {
    const std::string_view rest = std::string_view(full).substr(start);
    const bool at_border =
        rest.size() == wanted.size() || (rest.size() > wanted.size() && rest[wanted.size()] == '/');
    const bool past_owner = owner_end == std::string::npos || start + wanted.size() > owner_end;
    if (rest.starts_with(wanted) && at_border && past_owner) return Fit::part;
    const std::size_t slash = full.find('/', start);
    start = slash == std::string::npos ? slash : slash + 1;
  }
  return Fit::none;
}

Fit fit_of(const FoundModel& model, const std::string& query) {
  switch (model.origin) {
    case ModelOrigin::own:
      return model.name == query || model.path.stem() == without_gguf(query) ? Fit::whole
                                                                             : Fit::none;
    case ModelOrigin::hugging_face:
      return fit_of_path(model.name, query);
    case ModelOrigin::ollama:
      if (model.name == query || model.name == query + ":latest") return Fit::whole;
      return model.name.starts_with(query + ":") ? Fit::part : Fit::none;
  }
  return Fit::none;
}

[[noreturn]] void fail_ambiguous(const std::string& query, const std::vector<FoundModel>& fits) {
  std::vector<std::string> names;
  for (const FoundModel& model : fits) {
    if (names.size() == kCandidatesShown) {
      names.emplace_back("...");
      break;
    }
    names.push_back(model.name);
  }
  fail(ErrorKind::invalid_argument, "model name '{}' fits {} models: {}; write out which", query,
       fits.size(), fmt::join(names, ", "));
}

[[noreturn]] void fail_not_found(const std::string& query, const ModelFolders& folders) {
  std::vector<std::string> places;
  for (const fs::path& folder : {folders.own, folders.hugging_face, folders.ollama})
    if (!folder.empty()) places.push_back(folder.string());
  fail(
      ErrorKind::not_found,
      "no model '{0}': no such file or folder, and no such name in {1}; 'cairn list' shows what is "
      "here, 'cairn pull' fetches",
      query, fmt::join(places, ", "));
}

}  // namespace

ModelFolders model_folders() {
  ModelFolders folders;
  folders.own = cache_folder() / "models";
  const fs::path home = environment_path("HOME");
  folders.hugging_face = environment_path("HF_HUB_CACHE");
  if (folders.hugging_face.empty()) {
    fs::path hugging_face_home = environment_path("HF_HOME");
    if (hugging_face_home.empty()) hugging_face_home = cache_folder().parent_path() / "huggingface";
    folders.hugging_face = hugging_face_home / "hub";
  }
  folders.ollama = environment_path("OLLAMA_MODELS");
  if (folders.ollama.empty() && !home.empty()) folders.ollama = home / ".ollama" / "models";
  return folders;
}

fs::path resolve_model(const std::string& name, const ModelFolders& folders) {
  if (name.empty())
    fail(ErrorKind::invalid_argument, "MODEL is empty; give a file, a folder or a name");
  std::error_code error;
  if (fs::exists(name, error)) return name;

  const std::vector<FoundModel> models = list_models(folders);
  for (const ModelOrigin origin :
       {ModelOrigin::own, ModelOrigin::hugging_face, ModelOrigin::ollama}) {
    std::vector<FoundModel> fits;
    for (const FoundModel& model : models) {
      if (model.origin != origin) continue;
      const Fit fit = fit_of(model, name);
      if (fit == Fit::whole) return model.path;
      if (fit == Fit::part) fits.push_back(model);
    }
    if (fits.size() == 1) return fits.front().path;
    if (fits.size() > 1) fail_ambiguous(name, fits);
  }
  fail_not_found(name, folders);
}

fs::path resolve_model(const std::string& name) {
  return resolve_model(name, model_folders());
}

}  // namespace cairn::cli
