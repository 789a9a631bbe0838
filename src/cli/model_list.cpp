#include "cli/model_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/known_models.h"

namespace cairn::cli {
namespace {

namespace fs = std::filesystem;

constexpr int kDepthLimit = 3;
constexpr std::int64_t kManifestBytesLimit = 1 << 20;

// The entries of a folder, sorted by name; none if it cannot be read.
std::vector<fs::path> entries_of(const fs::path& folder) {
  std::vector<fs::path> entries;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
    entries.push_back(it->path());
  std::sort(entries.begin(), entries.end());
  return entries;
}

bool is_folder(const fs::path& path) {
  std::error_code error;
  return fs::is_directory(path, error);
}

bool is_file(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

std::int64_t size_of(const fs::path& path) {
  std::error_code error;
  const auto size = fs::file_size(path, error);
  return error ? 0 : static_cast<std::int64_t>(size);
}

struct Found {
  fs::path path;
  std::string relative;
};

// Regular files below `folder` to a fixed depth, with their names relative to it.
std::vector<Found> files_below(const fs::path& folder) {
  std::vector<Found> files;
  std::error_code error;
  fs::recursive_directory_iterator it(folder, error);
  for (const fs::recursive_directory_iterator end; !error && it != end; it.increment(error)) {
    if (it.depth() >= kDepthLimit) it.disable_recursion_pending();
    if (is_file(it->path())) files.push_back({it->path(), it->path().lexically_relative(folder)});
  }
  std::sort(files.begin(), files.end(),
            [](const Found& a, const Found& b) { return a.relative < b.relative; });
  return files;
}

// "x-00002-of-00003.gguf" -> "x" and 2.
struct ShardName {
  std::string stem;
  int number = 1;
};
ShardName shard_of(const std::string& name) {
  constexpr std::size_t kSuffixSize = 20;  // "-00002-of-00003.gguf"
  if (name.size() <= kSuffixSize) return {name, 1};
  const std::string suffix = name.substr(name.size() - kSuffixSize);
  int number = 0;
  int count = 0;
  if (std::sscanf(suffix.c_str(), "-%5d-of-%5d.gguf", &number, &count) != 2) return {name, 1};
  return {name.substr(0, name.size() - kSuffixSize), number};
}

void list_own(const fs::path& folder, std::vector<FoundModel>& models) {
  for (const fs::path& entry : entries_of(folder)) {
    if (entry.extension() != ".gguf" || !is_file(entry)) continue;
    const KnownModel* known = find_known_model(entry.stem().string());
    const std::string name = known != nullptr ? std::string(known->name) : entry.stem().string();
    models.push_back({name, entry, size_of(entry), ModelOrigin::own});
  }
}

// The snapshot that refs/main names, else the last by name.
std::optional<fs::path> snapshot_of(const fs::path& repository) {
  std::ifstream file(repository / "refs" / "main");
  std::string revision;
  if (file >> revision && is_folder(repository / "snapshots" / fs::path(revision).filename()))
    return repository / "snapshots" / fs::path(revision).filename();
  const auto snapshots = entries_of(repository / "snapshots");
  if (snapshots.empty()) return std::nullopt;
  return snapshots.back();
}

// "models--owner--repository" -> "owner/repository".
std::string repository_name(std::string folder) {
  folder.erase(0, std::string_view("models--").size());
  if (const std::size_t dashes = folder.find("--"); dashes != std::string::npos)
    folder.replace(dashes, 2, "/");
  return folder;
}

void list_snapshot(const fs::path& snapshot, const std::string& repository,
                   std::vector<FoundModel>& models) {
  std::int64_t safetensors_bytes = 0;
  const std::size_t first = models.size();
  for (const auto& [path, relative] : files_below(snapshot)) {
    if (path.extension() == ".safetensors") safetensors_bytes += size_of(path);
    if (path.extension() != ".gguf") continue;
    const ShardName shard = shard_of(relative);
    if (shard.number == 1) {
      models.push_back({fmt::format("{}/{}", repository, relative), path, size_of(path),
                        ModelOrigin::hugging_face});
    } else if (models.size() > first && shard_of(models.back().name).stem.ends_with(shard.stem)) {
      models.back().size_bytes += size_of(path);
    }
  }
  if (safetensors_bytes > 0 && is_file(snapshot / "config.json"))
    models.push_back({repository, snapshot, safetensors_bytes, ModelOrigin::hugging_face});
}

void list_hugging_face(const fs::path& folder, std::vector<FoundModel>& models) {
  for (const fs::path& repository : entries_of(folder)) {
    const std::string name = repository.filename();
    if (!name.starts_with("models--")) continue;
    if (const auto snapshot = snapshot_of(repository))
      list_snapshot(*snapshot, repository_name(name), models);
  }
}

// The blob that a manifest names as the model, if it is there.
std::optional<fs::path> model_blob(const fs::path& manifest, const fs::path& blobs) {
  if (size_of(manifest) > kManifestBytesLimit) return std::nullopt;
  std::ifstream file(manifest);
  const auto json = nlohmann::json::parse(file, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object() || !json.contains("layers") || !json["layers"].is_array())
    return std::nullopt;
  for (const auto& layer : json["layers"]) {
    if (!layer.is_object()) continue;
    const auto type = layer.find("mediaType");
    const auto digest = layer.find("digest");
    if (type == layer.end() || digest == layer.end() || !digest->is_string()) continue;
    if (*type != "application/vnd.ollama.image.model") continue;
    std::string blob = *digest;  // "sha256:<hex>" is kept as "sha256-<hex>"
    std::replace(blob.begin(), blob.end(), ':', '-');
    const fs::path path = blobs / fs::path(blob).filename();
    if (is_file(path)) return path;
  }
  return std::nullopt;
}

// manifests/<registry>/<user>/<name>/<tag>; "library" is the user of the official models.
void list_ollama(const fs::path& folder, std::vector<FoundModel>& models) {
  for (const auto& [path, relative] : files_below(folder / "manifests")) {
    const auto blob = model_blob(path, folder / "blobs");
    if (!blob) continue;
    const std::string tag = path.filename();
    const std::string model = path.parent_path().filename();
    const std::string user = path.parent_path().parent_path().filename();
    const std::string name = user == "library" ? fmt::format("{}:{}", model, tag)
                                               : fmt::format("{}/{}:{}", user, model, tag);
    models.push_back({name, *blob, size_of(*blob), ModelOrigin::ollama});
  }
}

}  // namespace

const char* name_of(ModelOrigin origin) {
  switch (origin) {
    case ModelOrigin::own:
      return "cairn";
    case ModelOrigin::hugging_face:
      return "hugging face";
    case ModelOrigin::ollama:
      return "ollama";
  }
  return "unknown";
}

std::vector<FoundModel> list_models(const ModelFolders& folders) {
  std::vector<FoundModel> models;
  if (!folders.own.empty()) list_own(folders.own, models);
  if (!folders.hugging_face.empty()) list_hugging_face(folders.hugging_face, models);
  if (!folders.ollama.empty()) list_ollama(folders.ollama, models);
  return models;
}

}  // namespace cairn::cli
