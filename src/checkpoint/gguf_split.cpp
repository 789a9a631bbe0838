#include "checkpoint/gguf_split.h"

#include <fmt/format.h>

#include <charconv>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "checkpoint/gguf.h"
#include "checkpoint/mapped_checkpoint.h"
#include "checkpoint/tensor_extent.h"

namespace cairn::checkpoint {
namespace {

constexpr std::string_view kExtension = ".gguf";
constexpr std::size_t kDigits = 5;
constexpr std::int64_t kMostParts = 99999;

std::optional<std::uint32_t> parse_number(std::string_view digits) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size() || value == 0) {
    return std::nullopt;
  }
  return value;
}

std::int64_t split_count(const Metadata& metadata) {
  const std::int64_t count = metadata.integer("split.count").value_or(1);
  if (count < 0 || count > kMostParts) {
    fail(ErrorKind::corrupt, "{}: \"split.count\" is {}, expected 1 to {}", metadata.source(),
         count, kMostParts);
  }
  return count;
}

GgufContent parse_part(const base::MappedFile& file, std::int64_t number, std::int64_t count) {
  GgufContent part = parse_gguf(file.bytes(), file.path().string());
  const std::int64_t found = part.metadata.integer("split.no").value_or(-1);
  if (found != number - 1 || split_count(part.metadata) != count) {
    fail(ErrorKind::corrupt,
         "{}: \"split.no\" {} of {} does not fit its name, expected {} of {}; download it again",
         file.path().string(), found, split_count(part.metadata), number - 1, count);
  }
  return part;
}

void check_tensor_count(const MappedCheckpoint::Content& content) {
  const auto stated = content.metadata.integer("split.tensors.count");
  if (stated && *stated != static_cast<std::int64_t>(content.tensors.size())) {
    fail(ErrorKind::corrupt, "{}: \"split.tensors.count\" is {}, but its parts hold {} tensors",
         content.metadata.source(), *stated, content.tensors.size());
  }
}

std::unique_ptr<Checkpoint> open_parts(const SplitName& name, const std::filesystem::path& path) {
  MappedCheckpoint::Content content;
  content.origin = Origin::gguf;
  content.path = path;
  for (std::uint32_t number = 1; number <= name.count; ++number) {
    const std::filesystem::path file = name.part(number);
    if (!std::filesystem::exists(file)) {
      fail(ErrorKind::not_found, "{}: part {} of {} is missing; download it into the same folder",
           file.string(), number, name.count);
    }
    content.files.emplace_back(file);
    GgufContent part = parse_part(content.files.back(), number, name.count);
    if (number == 1) content.metadata = std::move(part.metadata);
    for (NamedTensor& tensor : part.tensors) content.tensors.push_back(std::move(tensor));
  }
  refuse_duplicates(content.tensors, path.string());
  check_tensor_count(content);
  return std::make_unique<MappedCheckpoint>(std::move(content));
}

}  // namespace

std::filesystem::path SplitName::part(std::uint32_t part_number) const {
  return fmt::format("{}-{:05}-of-{:05}{}", prefix.string(), part_number, count, kExtension);
}

std::optional<SplitName> parse_split_name(const std::filesystem::path& path) {
  constexpr std::string_view kOf = "-of-";
  constexpr std::size_t kTail = 1 + kDigits + kOf.size() + kDigits + kExtension.size();
  const std::string name = path.string();
  if (name.size() <= kTail) return std::nullopt;
  const std::string_view tail = std::string_view(name).substr(name.size() - kTail);
  if (tail.front() != '-' || tail.substr(1 + kDigits, kOf.size()) != kOf ||
      !tail.ends_with(kExtension)) {
    return std::nullopt;
  }
  const auto number = parse_number(tail.substr(1, kDigits));
  const auto count = parse_number(tail.substr(1 + kDigits + kOf.size(), kDigits));
  if (!number || !count || *number > *count) return std::nullopt;
  return SplitName{name.substr(0, name.size() - kTail), *number, *count};
}

std::unique_ptr<Checkpoint> open_gguf(base::MappedFile file, const std::filesystem::path& path) {
  GgufContent content = parse_gguf(file.bytes(), file.path().string());
  const std::int64_t count = split_count(content.metadata);
  if (count > 1) {
    const auto name = parse_split_name(file.path());
    if (!name || name->count != count) {
      fail(ErrorKind::invalid_argument,
           "{}: one of {} parts, but its name does not end in -NNNNN-of-{:05}.gguf; give the files "
           "their names back",
           file.path().string(), count, count);
    }
    return open_parts(*name, path);
  }
  MappedCheckpoint::Content whole;
  whole.origin = Origin::gguf;
  whole.path = path;
  whole.metadata = std::move(content.metadata);
  whole.tensors = std::move(content.tensors);
  whole.files.push_back(std::move(file));
  return std::make_unique<MappedCheckpoint>(std::move(whole));
}

}  // namespace cairn::checkpoint
