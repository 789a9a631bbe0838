#include "cli/prompt_source.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "base/error.h"
#include "cli/terminal.h"

namespace cairn::cli {
namespace {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

std::string read_all(std::FILE* file, const std::string& name) {
  std::string content;
  char part[1 << 16];
  for (std::size_t size = 0; (size = std::fread(part, 1, sizeof part, file)) > 0;) {
    content.append(part, size);
  }
  if (std::ferror(file) != 0) {
    fail(ErrorKind::io, "{}: cannot read: {}", name, std::strerror(errno));
  }
  return content;
}

}  // namespace

std::string read_file(const std::string& path) {
  if (path == "-") return read_all(stdin, "standard input");
  const std::unique_ptr<std::FILE, CloseFile> file(std::fopen(path.c_str(), "rbe"));
  if (!file) {
    fail(errno == ENOENT ? ErrorKind::not_found : ErrorKind::io, "{}: cannot open: {}", path,
         std::strerror(errno));
  }
  return read_all(file.get(), path);
}

std::string read_text(const std::optional<std::string>& argument, const std::string& file,
                      const char* what) {
  if (argument && !file.empty()) {
    fail(ErrorKind::invalid_argument, "a {0} as an argument and one in {1}: give one of them", what,
         file);
  }
  std::string text;
  if (argument) {
    text = *argument;
  } else if (!file.empty()) {
    text = read_file(file);
  } else if (!is_terminal(stdin)) {
    text = read_all(stdin, "standard input");
  }
  if (text.empty()) {
    fail(ErrorKind::invalid_argument,
         "the {0} is empty; give it as an argument, with -f FILE or on standard input", what);
  }
  return text;
}

}  // namespace cairn::cli
