#include "engine/chat_template_loader.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/mapped_file.h"
#include "checkpoint/json_fields.h"
#include "text/builtin_templates.h"

namespace cairn::engine {
namespace {

namespace fs = std::filesystem;
using checkpoint::Metadata;
using text::ChatSources;
using text::NamedTemplate;

constexpr const char* kDefault = "default";

/// A later source of the same name replaces an earlier one.
void put(ChatSources& sources, const std::string& name, std::string source) {
  if (source.empty()) return;
  for (NamedTemplate& named : sources.templates) {
    if (named.name != name) continue;
    named.source = std::move(source);
    return;
  }
  sources.templates.push_back({name, std::move(source)});
}

void put_token(ChatSources& sources, const std::string& name, const std::string& text) {
  const auto known = std::find_if(sources.tokens.begin(), sources.tokens.end(),
                                  [&](const auto& token) { return token.first == name; });
  if (known == sources.tokens.end()) sources.tokens.emplace_back(name, text);
}

// ---- GGUF -------------------------------------------------------------------------------------

ChatSources from_gguf(const Metadata& metadata) {
  constexpr std::string_view key = "tokenizer.chat_template";
  ChatSources sources;
  for (auto at = metadata.values().lower_bound(key); at != metadata.values().end(); ++at) {
    if (!at->first.starts_with(key)) break;
    const std::string_view rest = std::string_view(at->first).substr(key.size());
    // "tokenizer.chat_templates" only lists the names.
    if (!rest.empty() && rest.front() != '.') continue;
    const std::string name = rest.empty() ? kDefault : std::string(rest.substr(1));
    put(sources, name, metadata.text(at->first).value_or(""));
  }
  const std::vector<std::string>* pieces = metadata.texts("tokenizer.ggml.tokens");
  for (const auto& [name, id_key] : {std::pair("bos_token", "tokenizer.ggml.bos_token_id"),
                                     std::pair("eos_token", "tokenizer.ggml.eos_token_id"),
                                     std::pair("unk_token", "tokenizer.ggml.unknown_token_id"),
                                     std::pair("pad_token", "tokenizer.ggml.padding_token_id")}) {
    const std::int64_t id = metadata.integer(id_key).value_or(-1);
    const bool is_there = pieces != nullptr && id >= 0 && std::cmp_less(id, pieces->size());
    if (is_there) put_token(sources, name, (*pieces)[static_cast<std::size_t>(id)]);
  }
  return sources;
}

// ---- Hugging Face -----------------------------------------------------------------------------

std::string read_text(const fs::path& path) {
  const base::MappedFile file(path);
  return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
}

Metadata read_json(const fs::path& path) {
  Metadata fields(path.string());
  checkpoint::read_json_fields(base::MappedFile(path).bytes(), path.string(), "", fields);
  return fields;
}

void add_templates(ChatSources& sources, const Metadata& fields) {
  if (const auto* single = fields.find("chat_template")) {
    if (const auto* source = std::get_if<std::string>(single)) put(sources, kDefault, *source);
  }
  for (std::size_t i = 0;; ++i) {
    const std::string prefix = fmt::format("chat_template.{}.", i);
    const auto name = fields.text(prefix + "name");
    const auto source = fields.text(prefix + "template");
    if (!name || !source) break;
    put(sources, *name, *source);
  }
}

/// "bos_token": "<s>", or {"content": "<s>", ...}.
void add_tokens(ChatSources& sources, const Metadata& fields) {
  for (const std::string name : {"bos_token", "eos_token", "unk_token", "pad_token", "sep_token",
                                 "cls_token", "mask_token"}) {
    const auto* value = fields.find(name);
    if (value == nullptr) value = fields.find(name + ".content");
    if (value == nullptr) continue;
    if (const auto* text = std::get_if<std::string>(value)) put_token(sources, name, *text);
  }
}

void add_additional(ChatSources& sources, const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".jinja") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  for (const fs::path& file : files) put(sources, file.stem().string(), read_text(file));
}

/// Files that say more stand later and win.
ChatSources from_folder(const fs::path& folder) {
  ChatSources sources;
  for (const char* name : {"tokenizer_config.json", "special_tokens_map.json"}) {
    if (!fs::exists(folder / name)) continue;
    const Metadata fields = read_json(folder / name);
    add_templates(sources, fields);
    add_tokens(sources, fields);
  }
  if (fs::exists(folder / "chat_template.json")) {
    add_templates(sources, read_json(folder / "chat_template.json"));
  }
  if (fs::exists(folder / "chat_template.jinja")) {
    put(sources, kDefault, read_text(folder / "chat_template.jinja"));
  }
  add_additional(sources, folder / "additional_chat_templates");
  return sources;
}

bool is_hugging_face_folder(const fs::path& folder) {
  static constexpr std::array<const char*, 5> kFiles = {"tokenizer_config.json", "tokenizer.json",
                                                        "tokenizer.model", "chat_template.jinja",
                                                        "config.json"};
  return std::any_of(kFiles.begin(), kFiles.end(),
                     [&](const char* name) { return fs::exists(folder / name); });
}

fs::path folder_of(const fs::path& file) {
  return file.has_parent_path() ? file.parent_path() : fs::path(".");
}

}  // namespace

ChatSources load_chat_sources(const checkpoint::Checkpoint& checkpoint) {
  if (checkpoint.origin() == checkpoint::Origin::gguf) return from_gguf(checkpoint.metadata());
  const fs::path& path = checkpoint.path();
  return from_folder(fs::is_directory(path) ? path : folder_of(path));
}

ChatSources load_chat_sources(const fs::path& path) {
  if (!fs::exists(path)) fail(ErrorKind::not_found, "{}: no such file or folder", path.string());
  if (fs::is_directory(path) && is_hugging_face_folder(path)) return from_folder(path);
  const std::string extension = path.extension().string();
  if (extension == ".jinja" || extension == ".j2") {
    return {.templates = {{kDefault, read_text(path)}}, .tokens = {}};
  }
  if (extension == ".json" || extension == ".model") return from_folder(folder_of(path));
  return load_chat_sources(*checkpoint::open_checkpoint(path));
}

void choose_chat_template(ChatSources& sources, const std::string& choice) {
  const auto choose = [&](std::string source) {
    sources.templates = {{kDefault, std::move(source)}};
  };
  std::vector<std::string> names;
  for (const NamedTemplate& named : sources.templates) {
    if (named.name == choice) return choose(named.source);
    names.push_back(named.name);
  }
  for (const text::BuiltinTemplate& builtin : text::builtin_templates()) {
    if (builtin.name == choice) return choose(std::string(builtin.source));
  }
  if (fs::is_regular_file(choice)) return choose(read_text(choice));
  fail(ErrorKind::invalid_argument,
       "--chat-template {}: neither a file nor a name; the model's own: {}; builtin ones: {}",
       choice, names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", ")),
       builtin_template_names());
}

std::string builtin_template_names() {
  std::vector<std::string_view> names;
  for (const text::BuiltinTemplate& builtin : text::builtin_templates()) {
    names.push_back(builtin.name);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace cairn::engine
