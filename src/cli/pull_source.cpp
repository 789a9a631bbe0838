#include "cli/pull_source.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <vector>

#include "base/error.h"

namespace cairn::cli {
namespace {

constexpr std::size_t kStemLimit = 200;
constexpr std::string_view kHuggingFacePrefix = "hf:";

bool is_stem_character(unsigned char c) {
  return std::isalnum(c) != 0 || c == '.' || c == '_' || c == '-' || c == '+';
}

std::string environment_or(const char* variable, const char* otherwise) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0' ? value : otherwise;
}

// The last segment of an address without ".gguf"; empty if it is not the name of a GGUF file.
std::string stem_of(std::string_view address) {
  address = address.substr(0, address.find_first_of("?#"));
  std::string_view name = address.substr(address.rfind('/') + 1);
  if (!name.ends_with(".gguf")) return {};
  name.remove_suffix(std::string_view(".gguf").size());
  return std::string(name);
}

// RFC 3986: everything but unreserved characters and the slashes between segments.
std::string percent_encoded(std::string_view path) {
  std::string encoded;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    const bool kept =
        std::isalnum(byte) != 0 || std::string_view("-._~/").find(c) != std::string_view::npos;
    encoded += kept ? std::string(1, c) : fmt::format("%{:02X}", byte);
  }
  return encoded;
}

std::vector<std::string_view> segments_of(std::string_view path) {
  std::vector<std::string_view> segments;
  for (std::size_t start = 0;;) {
    const std::size_t slash = path.find('/', start);
    segments.push_back(path.substr(start, slash - start));
    if (slash == std::string_view::npos) return segments;
    start = slash + 1;
  }
}

RemoteFile hugging_face_file(const std::string& text) {
  const std::string path = text.substr(kHuggingFacePrefix.size());
  const auto segments = segments_of(path);
  const bool usable = segments.size() >= 3 &&
                      std::none_of(segments.begin(), segments.end(), [](std::string_view segment) {
                        return segment.empty() || segment == "." || segment == "..";
                      });
  if (!usable)
    fail(ErrorKind::invalid_argument, "'{}' has not the form hf:owner/repository/file.gguf", text);
  const std::string file = path.substr(segments[0].size() + segments[1].size() + 2);
  std::string endpoint = environment_or("HF_ENDPOINT", "https://huggingface.co");
  while (endpoint.ends_with('/')) endpoint.pop_back();

  RemoteFile remote;
  remote.http.url = fmt::format("{}/{}/{}/resolve/main/{}", endpoint, percent_encoded(segments[0]),
                                percent_encoded(segments[1]), percent_encoded(file));
  const std::string token = environment_or("HF_TOKEN", "");
  if (token.find_first_of("\r\n") != std::string::npos)
    fail(ErrorKind::invalid_argument, "HF_TOKEN holds a line break; set it to the token alone");
  if (!token.empty()) remote.http.headers.push_back("Authorization: Bearer " + token);
  remote.stem = stem_of(file);
  remote.access_hint = token.empty()
                           ? "if the model is gated, accept its terms and set HF_TOKEN"
                           : "accept the model's terms with the account that HF_TOKEN belongs to";
  return remote;
}

[[noreturn]] void fail_unknown(const std::string& text) {
  std::vector<std::string_view> names;
  for (const KnownModel& model : known_models()) names.push_back(model.name);
  fail(ErrorKind::not_found,
       "no model '{}' to pull; known are {}, and any https://.../file.gguf or "
       "hf:owner/repository/file.gguf",
       text, fmt::join(names, ", "));
}

}  // namespace

PullSource parse_pull_source(const std::string& text) {
  if (text.starts_with("https://") || text.starts_with("http://"))
    return RemoteFile{
        .http = {.url = text, .headers = {}}, .stem = stem_of(text), .access_hint = {}};
  if (text.starts_with(kHuggingFacePrefix)) return hugging_face_file(text);
  if (const KnownModel* model = find_known_model(text)) return model;
  fail_unknown(text);
}

void check_stem(const std::string& stem) {
  if (stem.empty())
    fail(ErrorKind::invalid_argument,
         "the address does not end in the name of a .gguf file; say what to call it with --name");
  const bool usable = stem.size() <= kStemLimit && stem.front() != '.' &&
                      std::all_of(stem.begin(), stem.end(), is_stem_character);
  if (!usable)
    fail(ErrorKind::invalid_argument,
         "'{}' cannot be a name here: letters, digits and ._-+ only, no dot in front, at most {} "
         "characters; choose another with --name",
         stem, kStemLimit);
}

}  // namespace cairn::cli
