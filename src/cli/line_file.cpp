#include "cli/line_file.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "base/error.h"

namespace cairn::cli {

LineFile::LineFile(const std::string& path) : name_(path), file_(stdin) {
  if (path.empty() || path == "-") {
    name_ = "standard input";
    return;
  }
  file_ = std::fopen(path.c_str(), "rbe");
  if (file_ == nullptr) {
    fail(errno == ENOENT ? ErrorKind::not_found : ErrorKind::io, "{}: cannot open: {}", path,
         std::strerror(errno));
  }
}

LineFile::~LineFile() {
  std::free(buffer_);
  if (file_ != stdin) std::fclose(file_);
}

bool LineFile::next(std::string_view& line) {
  const ssize_t size = ::getline(&buffer_, &capacity_, file_);
  if (size < 0) {
    if (std::ferror(file_) != 0) {
      fail(ErrorKind::io, "{}: cannot read: {}", name_, std::strerror(errno));
    }
    return false;
  }
  ++number_;
  line = std::string_view(buffer_, static_cast<std::size_t>(size));
  if (line.ends_with('\n')) line.remove_suffix(1);
  return true;
}

}  // namespace cairn::cli
