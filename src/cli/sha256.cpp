#include "cli/sha256.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "base/check.h"
#include "base/mapped_file.h"
#include "cli/progress.h"

namespace cairn::cli {
namespace {

EVP_MD_CTX* context_of(void* state) {
  return static_cast<EVP_MD_CTX*>(state);
}

}  // namespace

void Sha256::Free::operator()(void* state) const {
  EVP_MD_CTX_free(context_of(state));
}

Sha256::Sha256() : state_(EVP_MD_CTX_new()) {
  CHECK(state_ && EVP_DigestInit_ex(context_of(state_.get()), EVP_sha256(), nullptr) == 1);
}

void Sha256::update(std::span<const std::byte> bytes) {
  CHECK(EVP_DigestUpdate(context_of(state_.get()), bytes.data(), bytes.size()) == 1);
}

std::string Sha256::finish() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  CHECK(EVP_DigestFinal_ex(context_of(state_.get()), digest.data(), &size) == 1);
  std::string text;
  for (unsigned int i = 0; i < size; ++i) text += fmt::format("{:02x}", digest[i]);
  return text;
}

std::string sha256_of_file(const std::filesystem::path& path) {
  constexpr std::size_t kChunkBytes = 4 << 20;
  const base::MappedFile file(path);
  std::span<const std::byte> rest = file.bytes();
  Progress progress("checking", static_cast<std::int64_t>(rest.size()), ProgressUnit::bytes);
  Sha256 sha256;
  while (!rest.empty()) {
    const auto chunk = rest.first(std::min(rest.size(), kChunkBytes));
    sha256.update(chunk);
    rest = rest.subspan(chunk.size());
    progress.update(static_cast<std::int64_t>(file.bytes().size() - rest.size()));
  }
  return sha256.finish();
}

bool is_sha256(std::string_view text) {
  return text.size() == 64 && std::all_of(text.begin(), text.end(),
                                          [](unsigned char c) { return std::isxdigit(c) != 0; });
}

}  // namespace cairn::cli
