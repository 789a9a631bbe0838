#include "engine/tokenizer_loader.h"

#include "base/error.h"
#include "base/mapped_file.h"
#include "engine/vocabulary_loader.h"

namespace cairn::engine {
namespace {

namespace fs = std::filesystem;

fs::path folder_of(const fs::path& file) {
  return file.has_parent_path() ? file.parent_path() : fs::path(".");
}

[[noreturn]] void fail_no_tokenizer(const fs::path& folder) {
  fail(ErrorKind::not_found,
       "{}: holds neither tokenizer.json nor tokenizer.model; download them into the folder, or "
       "use the model's GGUF file",
       folder.string());
}

std::unique_ptr<text::Tokenizer> from_folder(const fs::path& folder) {
  fail_no_tokenizer(folder);
}

}  // namespace

std::unique_ptr<text::Tokenizer> load_tokenizer(const fs::path& path,
                                                const std::string& pre_tokenizer) {
  return load_tokenizer(*checkpoint::open_checkpoint(path), pre_tokenizer);
}

std::unique_ptr<text::Tokenizer> load_tokenizer(const checkpoint::Checkpoint& checkpoint,
                                                const std::string& pre_tokenizer) {
  if (checkpoint.origin() == checkpoint::Origin::gguf) {
    return text::make_tokenizer(load_vocabulary(checkpoint, pre_tokenizer));
  }
  const fs::path& path = checkpoint.path();
  return from_folder(fs::is_directory(path) ? path : folder_of(path));
}

}  // namespace cairn::engine
