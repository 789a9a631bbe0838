// Hugging Face folders: config.json, generation_config.json and the safetensors beside them.

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "checkpoint/json_fields.h"
#include "checkpoint/mapped_checkpoint.h"
#include "checkpoint/printable.h"
#include "checkpoint/safetensors.h"
#include "checkpoint/tensor_extent.h"

namespace cairn::checkpoint {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kWeightMap = "weight_map.";
constexpr std::size_t kMostShards = 4096;

Metadata read_configuration(const fs::path& folder) {
  const fs::path config = folder / "config.json";
  if (!fs::exists(config)) {
    fail(ErrorKind::not_found,
         "{}: missing; a model in safetensors needs its config.json in the same folder",
         config.string());
  }
  Metadata metadata(config.string());
  read_json_fields(base::MappedFile(config).bytes(), config.string(), "", metadata);
  const fs::path generation = folder / "generation_config.json";
  if (fs::exists(generation)) {
    read_json_fields(base::MappedFile(generation).bytes(), generation.string(),
                     "generation_config.", metadata);
  }
  return metadata;
}

// A shard's name comes from a file: only a plain name in the same folder is opened.
void refuse_other_folders(const std::string& shard, const fs::path& index) {
  const bool plain = !shard.empty() && shard.front() != '.' &&
                     shard.find_first_of("/\\") == std::string::npos &&
                     shard.find('\0') == std::string::npos;
  if (!plain) {
    fail(ErrorKind::corrupt, "{}: the shard \"{}\" is no plain file name in the same folder",
         index.string(), printable(shard));
  }
}

// Tensor name -> file name.
std::map<std::string, std::string> read_weight_map(const fs::path& index) {
  Metadata fields(index.string());
  read_json_fields(base::MappedFile(index).bytes(), index.string(), "", fields);
  std::map<std::string, std::string> weight_map;
  for (const auto& [key, value] : fields.values()) {
    if (!key.starts_with(kWeightMap)) continue;
    const auto* shard = std::get_if<std::string>(&value);
    if (shard == nullptr) fields.fail_type(key, value, "a file name");
    refuse_other_folders(*shard, index);
    weight_map.emplace(key.substr(kWeightMap.size()), *shard);
  }
  if (weight_map.empty()) {
    fail(ErrorKind::corrupt, "{}: has no \"weight_map\" of tensor names to files", index.string());
  }
  return weight_map;
}

}  // namespace

std::unique_ptr<Checkpoint> open_safetensors(base::MappedFile file, const fs::path& path) {
  MappedCheckpoint::Content content;
  content.origin = Origin::hugging_face;
  content.path = path;
  content.tensors = parse_safetensors(file.bytes(), file.path().string());
  content.metadata = read_configuration(file.path().parent_path());
  content.files.push_back(std::move(file));
  return std::make_unique<MappedCheckpoint>(std::move(content));
}

std::unique_ptr<Checkpoint> open_sharded_safetensors(const fs::path& index, const fs::path& path) {
  const std::map<std::string, std::string> weight_map = read_weight_map(index);
  std::set<std::string> shards;
  for (const auto& [tensor, shard] : weight_map) shards.insert(shard);
  if (shards.size() > kMostShards) {
    fail(ErrorKind::corrupt, "{}: {} shards, at most {} are allowed", index.string(), shards.size(),
         kMostShards);
  }
  MappedCheckpoint::Content content;
  content.origin = Origin::hugging_face;
  content.path = path;
  content.metadata = read_configuration(index.parent_path());
  std::set<std::pair<std::string_view, std::string_view>> found;
  for (const std::string& shard : shards) {
    const fs::path file = index.parent_path() / shard;
    if (!fs::exists(file)) {
      fail(ErrorKind::not_found, "{}: missing; {} names it, download it into the same folder",
           file.string(), index.filename().string());
    }
    content.files.emplace_back(file);
    for (NamedTensor& tensor : parse_safetensors(content.files.back().bytes(), file.string())) {
      const auto listed = weight_map.find(tensor.name);
      // A tensor that the index assigns to another shard, or to none, is not the model's.
      if (listed == weight_map.end() || listed->second != shard) continue;
      found.emplace(listed->first, shard);
      content.tensors.push_back(std::move(tensor));
    }
  }
  for (const auto& [tensor, shard] : weight_map) {
    if (found.contains({tensor, shard})) continue;
    fail(ErrorKind::corrupt, "{}: tensor \"{}\" is not in {}, where the index says it is",
         index.string(), printable(tensor), printable(shard));
  }
  return std::make_unique<MappedCheckpoint>(std::move(content));
}

}  // namespace cairn::checkpoint
