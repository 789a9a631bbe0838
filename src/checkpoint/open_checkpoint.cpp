// What kind of model a path holds.

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "checkpoint/gguf.h"
#include "checkpoint/gguf_split.h"
#include "checkpoint/mapped_checkpoint.h"
#include "checkpoint/printable.h"
#include "checkpoint/safetensors.h"

namespace cairn::checkpoint {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kShownBytes = 24;

// Files that people mistake for models, by how they begin.
struct KnownBeginning {
  std::string_view bytes;
  std::string_view what;
};
constexpr auto kKnownBeginnings = std::to_array<KnownBeginning>({
    {"version https://git-lfs",
     "a Git LFS pointer, not the model itself; fetch it with `git lfs pull` or download the file"},
    {"PK\x03\x04", "a zip archive (a PyTorch checkpoint?); get the model as GGUF or safetensors"},
    {"lmgg", "GGML's format from before GGUF; get the model as GGUF"},
    {"fmgg", "GGML's format from before GGUF; get the model as GGUF"},
    {"tjgg", "GGML's format from before GGUF; get the model as GGUF"},
    {"<!DOCTYPE", "a web page; the download went wrong"},
    {"<html", "a web page; the download went wrong"},
});

[[noreturn]] void refuse_unknown(const base::MappedFile& file) {
  const std::string name = file.path().string();
  const std::string_view text(reinterpret_cast<const char*>(file.bytes().data()),
                              file.bytes().size());
  if (text.empty()) fail(ErrorKind::corrupt, "{}: empty; download it again", name);
  for (const KnownBeginning& known : kKnownBeginnings) {
    if (text.starts_with(known.bytes)) fail(ErrorKind::unsupported, "{}: {}", name, known.what);
  }
  fail(ErrorKind::unsupported,
       "{}: neither GGUF nor safetensors (it begins with \"{}\"); give a .gguf or .safetensors "
       "file, or a folder with one",
       name, printable(text.substr(0, std::min(text.size(), kShownBytes))));
}

std::unique_ptr<Checkpoint> open_file(const fs::path& file_path, const fs::path& path) {
  base::MappedFile file(file_path);
  if (looks_like_gguf(file.bytes())) return open_gguf(std::move(file), path);
  if (looks_like_safetensors(file.bytes())) return open_safetensors(std::move(file), path);
  refuse_unknown(file);
}

// The .gguf files of a folder, of a split one only the first part.
std::vector<fs::path> find_gguf_files(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() != ".gguf") continue;
    const auto split = parse_split_name(entry.path());
    if (!split || split->number == 1) files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

std::unique_ptr<Checkpoint> open_folder(const fs::path& folder) {
  const fs::path index = folder / "model.safetensors.index.json";
  if (fs::exists(index)) return open_sharded_safetensors(index, folder);
  const fs::path single = folder / "model.safetensors";
  if (fs::exists(single)) return open_file(single, folder);
  const std::vector<fs::path> files = find_gguf_files(folder);
  if (files.size() == 1) return open_file(files.front(), folder);
  if (files.empty()) {
    fail(ErrorKind::not_found,
         "{}: no model in this folder; looked for model.safetensors.index.json, model.safetensors "
         "and *.gguf",
         folder.string());
  }
  fail(ErrorKind::invalid_argument, "{}: {} GGUF models in this folder; name one, such as {}",
       folder.string(), files.size(), files.front().string());
}

}  // namespace

std::unique_ptr<Checkpoint> open_checkpoint(const fs::path& path) {
  try {
    return fs::is_directory(path) ? open_folder(path) : open_file(path, path);
  } catch (const fs::filesystem_error& error) {
    fail(ErrorKind::io, "{}: cannot read: {}", path.string(), error.code().message());
  }
}

}  // namespace cairn::checkpoint
