#include "cli/batch_journal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>

#include "base/error.h"

namespace cairn::cli {
namespace {

constexpr std::string_view kTitle = "cairn batch journal 1 ";

[[noreturn]] void fail_io(const std::string& path, const char* what) {
  fail(ErrorKind::io, "{}: cannot {}: {}", path, what, std::strerror(errno));
}

void write_all(int file, std::string_view text, const std::string& path) {
  while (!text.empty()) {
    const ssize_t written = ::write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail_io(path, "write");
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

std::string read_part(int file, std::int64_t offset, std::size_t size_bytes,
                      const std::string& path) {
  std::string text(size_bytes, '\0');
  std::size_t done = 0;
  while (done < size_bytes) {
    const ssize_t got = ::pread(file, text.data() + done, size_bytes - done,
                                offset + static_cast<std::int64_t>(done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail_io(path, "read");
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  text.resize(done);
  return text;
}

/// Calls visit(offset, line) for each line that ends in a line break; returns where they end.
template <class Visit>
std::int64_t for_each_line(int file, const std::string& path, Visit visit) {
  constexpr std::size_t kPart = 1 << 20;
  std::string rest;
  std::int64_t begin = 0;  // of rest
  for (;;) {
    const std::string part =
        read_part(file, begin + static_cast<std::int64_t>(rest.size()), kPart, path);
    if (part.empty()) return begin;
    rest += part;
    std::size_t done = 0;
    for (std::size_t end = 0; (end = rest.find('\n', done)) != std::string::npos; done = end + 1) {
      visit(begin + static_cast<std::int64_t>(done),
            std::string_view(rest).substr(done, end - done));
    }
    rest.erase(0, done);
    begin += static_cast<std::int64_t>(done);
  }
}

}  // namespace

BatchJournal::BatchJournal(std::string output, std::uint64_t fingerprint)
    : output_(std::move(output)), path_(output_ + ".journal") {
  file_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (file_ < 0) fail_io(path_, "open");
  read_back(fmt::format("{}{:016x}", kTitle, fingerprint));
}

BatchJournal::~BatchJournal() {
  if (file_ >= 0) ::close(file_);
}

void BatchJournal::read_back(const std::string& header) {
  bool has_header = false;
  bool is_empty = true;
  end_ = for_each_line(file_, path_, [&](std::int64_t offset, std::string_view line) {
    if (offset == 0) {
      has_header = line == header;
      is_empty = line.starts_with(kTitle);
      return;
    }
    is_empty = false;
    std::int64_t number = 0;
    const auto [rest, error] = std::from_chars(line.data(), line.data() + line.size(), number);
    const std::int64_t digits = rest - line.data();
    const bool is_answer =
        error == std::errc() && rest < line.data() + line.size() && *rest == '\t';
    if (!has_header || !is_answer) return;
    const std::int64_t size_bytes = static_cast<std::int64_t>(line.size()) - digits - 1;
    answers_.insert_or_assign(number, Place{offset + digits + 1, size_bytes});
  });
  if (!has_header && !is_empty) {
    fail(ErrorKind::invalid_argument,
         "{}: was begun with another input, model or option; remove it to start anew", path_);
  }
  if (!has_header) end_ = 0;
  if (::ftruncate(file_, end_) != 0) fail_io(path_, "cut");
  if (::lseek(file_, end_, SEEK_SET) < 0) fail_io(path_, "seek in");
  if (end_ == 0) write(header + "\n");
}

void BatchJournal::write(std::string_view text) {
  write_all(file_, text, path_);
  end_ += static_cast<std::int64_t>(text.size());
}

void BatchJournal::add(std::int64_t number, std::string_view answer) {
  const std::string head = fmt::format("{}\t", number);
  const std::int64_t offset = end_ + static_cast<std::int64_t>(head.size());
  write(fmt::format("{}{}\n", head, answer));
  answers_.insert_or_assign(number, Place{offset, static_cast<std::int64_t>(answer.size())});
}

void BatchJournal::finish() {
  const std::string temporary = output_ + ".part";
  const int to = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (to < 0) fail_io(temporary, "open");
  try {
    for (const auto& [number, place] : answers_) {
      std::string line =
          read_part(file_, place.offset, static_cast<std::size_t>(place.size_bytes), path_);
      line += '\n';
      write_all(to, line, temporary);
    }
    if (::fsync(to) != 0) fail_io(temporary, "write");
  } catch (...) {
    ::close(to);
    ::unlink(temporary.c_str());
    throw;
  }
  ::close(to);
  if (::rename(temporary.c_str(), output_.c_str()) != 0) fail_io(output_, "write");
  ::unlink(path_.c_str());
}

}  // namespace cairn::cli
