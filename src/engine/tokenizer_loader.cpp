#include "engine/tokenizer_loader.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/mapped_file.h"
#include "checkpoint/json_fields.h"
#include "engine/vocabulary_loader.h"
#include "text/end_of_generation.h"
#include "text/huggingface/tokenizer_file.h"
#include "text/sentencepiece_model_file.h"

namespace cairn::engine {
namespace {

namespace fs = std::filesystem;
using checkpoint::Metadata;
using text::TokenKind;
using text::Vocabulary;

constexpr const char* kConfig = "tokenizer_config.json";
constexpr std::size_t kMostAddedTokens = 1 << 20;

std::string read_if_there(const fs::path& path) {
  if (!fs::exists(path)) return {};
  const base::MappedFile file(path);
  return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
}

/// A vocabulary does not know its file.
std::unique_ptr<text::Tokenizer> make_tokenizer(std::shared_ptr<const Vocabulary> vocabulary,
                                                const fs::path& path) {
  try {
    return text::make_tokenizer(std::move(vocabulary));
  } catch (const Error& error) {
    fail(error.kind(), "{}: {}", path.string(), error.message());
  }
}

std::unique_ptr<text::Tokenizer> from_tokenizer_json(const fs::path& path) {
  const fs::path folder = path.parent_path();
  const base::MappedFile file(path);
  const std::string_view json(reinterpret_cast<const char*>(file.bytes().data()),
                              file.bytes().size());
  const std::string config = read_if_there(folder / kConfig);
  const std::string special = read_if_there(folder / "special_tokens_map.json");
  try {
    return text::huggingface::read_tokenizer(json, config, special);
  } catch (const Error& error) {
    // The reader knows contents only: a bare "tokenizer.json" would not say whose.
    throw Error(error.kind(), (folder / error.message()).string());
  }
}

// ---- tokenizer.model, which knows nothing of what was added to it ------------------------------

/// "added_tokens_decoder": {"32000": {"content": "<|im_end|>", "special": true, ...}, ...}
void add_tokens(const Metadata& config, Vocabulary& vocabulary) {
  constexpr std::string_view prefix = "added_tokens_decoder.";
  constexpr std::string_view suffix = ".content";
  std::map<std::size_t, std::string> added;
  for (const auto& [key, value] : config.values()) {
    if (!key.starts_with(prefix) || !key.ends_with(suffix)) continue;
    const std::string digits =
        key.substr(prefix.size(), key.size() - prefix.size() - suffix.size());
    std::size_t id = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), id);
    if (error != std::errc() || end != digits.data() + digits.size()) continue;
    added.emplace(id, config.text(key).value_or(""));
  }
  for (const auto& [id, content] : added) {
    const bool special = config.boolean(fmt::format("{}{}.special", prefix, id)).value_or(false);
    if (id > vocabulary.pieces.size() || id >= kMostAddedTokens) {
      fail(ErrorKind::corrupt, "{}: added token {} leaves a gap behind the {} pieces of the model",
           config.source(), id, vocabulary.pieces.size());
    }
    if (id == vocabulary.pieces.size()) {
      vocabulary.pieces.push_back(content);
      vocabulary.scores.push_back(0);
      vocabulary.kinds.push_back(TokenKind::normal);
    } else if (vocabulary.pieces[id] != content) {
      continue;  // the model's own piece counts
    }
    TokenKind& kind = vocabulary.kinds[id];
    if (kind == TokenKind::unknown || kind == TokenKind::byte) continue;
    kind = special ? TokenKind::control : TokenKind::user_defined;
  }
}

std::optional<TokenId> token_of(const Metadata& config, const Vocabulary& vocabulary,
                                const std::string& key) {
  const auto* value = config.find(key);
  if (value == nullptr) value = config.find(key + ".content");
  const auto* content = value == nullptr ? nullptr : std::get_if<std::string>(value);
  if (content == nullptr) return std::nullopt;
  const auto found = std::find(vocabulary.pieces.begin(), vocabulary.pieces.end(), *content);
  if (found == vocabulary.pieces.end()) return std::nullopt;
  return TokenId(static_cast<std::int32_t>(found - vocabulary.pieces.begin()));
}

/// Where the configuration does not say it, its class does: Llama's begins texts, T5's ends them.
void apply_config(const Metadata& config, Vocabulary& vocabulary) {
  const std::string kind = config.text("tokenizer_class").value_or("");
  add_tokens(config, vocabulary);
  if (const auto token = token_of(config, vocabulary, "bos_token")) vocabulary.bos = token;
  if (const auto token = token_of(config, vocabulary, "eos_token")) vocabulary.eos = token;
  if (const auto token = token_of(config, vocabulary, "pad_token")) vocabulary.padding = token;
  const bool begins = kind.starts_with("Llama") || kind.starts_with("Gemma");
  vocabulary.add_bos = config.boolean("add_bos_token").value_or(begins) && vocabulary.bos;
  vocabulary.add_eos =
      config.boolean("add_eos_token").value_or(kind.starts_with("T5")) && vocabulary.eos;
  text::find_end_of_generation(vocabulary);
}

std::unique_ptr<text::Tokenizer> from_tokenizer_model(const fs::path& path) {
  const auto read = text::read_sentencepiece_model(path);
  const fs::path config = path.parent_path() / kConfig;
  if (!fs::exists(config)) return make_tokenizer(read, path);
  auto vocabulary = std::make_shared<Vocabulary>(*read);
  Metadata fields(config.string());
  checkpoint::read_json_fields(base::MappedFile(config).bytes(), config.string(), "", fields);
  apply_config(fields, *vocabulary);
  return make_tokenizer(std::move(vocabulary), path);
}

// ---- Which file it is -------------------------------------------------------------------------

/// Null where the folder has neither.
std::unique_ptr<text::Tokenizer> from_folder(const fs::path& folder) {
  if (fs::exists(folder / "tokenizer.json")) return from_tokenizer_json(folder / "tokenizer.json");
  for (const char* name : {"tokenizer.model", "spiece.model"}) {
    if (fs::exists(folder / name)) return from_tokenizer_model(folder / name);
  }
  return nullptr;
}

void refuse_pre_tokenizer(const fs::path& path, const std::string& pre_tokenizer) {
  if (pre_tokenizer.empty()) return;
  fail(ErrorKind::invalid_argument,
       "{}: --pre-tokenizer {} is for GGUF files; this file says itself how text is split",
       path.string(), pre_tokenizer);
}

}  // namespace

std::unique_ptr<text::Tokenizer> load_tokenizer(const fs::path& path,
                                                const std::string& pre_tokenizer) {
  std::unique_ptr<text::Tokenizer> tokenizer;
  const std::string extension = path.extension().string();
  if (fs::is_directory(path)) {
    tokenizer = from_folder(path);
  } else if (extension == ".json") {
    tokenizer = from_tokenizer_json(path);
  } else if (extension == ".model") {
    tokenizer = from_tokenizer_model(path);
  }
  if (tokenizer == nullptr) {
    return load_tokenizer(*checkpoint::open_checkpoint(path), pre_tokenizer);
  }
  refuse_pre_tokenizer(path, pre_tokenizer);
  return tokenizer;
}

std::unique_ptr<text::Tokenizer> load_tokenizer(const checkpoint::Checkpoint& checkpoint,
                                                const std::string& pre_tokenizer) {
  if (checkpoint.origin() == checkpoint::Origin::gguf) {
    return make_tokenizer(load_vocabulary(checkpoint, pre_tokenizer), checkpoint.path());
  }
  const fs::path& path = checkpoint.path();
  refuse_pre_tokenizer(path, pre_tokenizer);
  const fs::path folder = fs::is_directory(path) ? path : path.parent_path();
  if (auto tokenizer = from_folder(folder)) return tokenizer;
  fail(ErrorKind::not_found,
       "{}: holds neither tokenizer.json nor tokenizer.model; download them into the folder, or "
       "use the model's GGUF file",
       folder.string());
}

}  // namespace cairn::engine
