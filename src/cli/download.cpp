#include "cli/download.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>
#include <thread>

#include "base/error.h"
#include "cli/interrupt.h"
#include "cli/part_file.h"
#include "cli/progress.h"
#include "cli/sha256.h"
#include "cli/units.h"

namespace cairn::cli {
namespace {

namespace fs = std::filesystem;

constexpr int kOk = 200;
constexpr int kPartialContent = 206;
constexpr int kUnauthorized = 401;
constexpr int kForbidden = 403;
constexpr int kNotFound = 404;
constexpr int kGone = 410;
constexpr int kRangeNotSatisfiable = 416;
constexpr int kTooManyRequests = 429;

class Download final : public HttpSink {
 public:
  explicit Download(const DownloadRequest& request)
      : request_(request),
        part_(request.path),
        etag_path_(part_.part_path().string() + ".etag"),
        progress_(request.label, 0, ProgressUnit::bytes) {}

  void run(HttpTransport& transport) {
    auto wait = request_.first_wait;
    for (int attempt = 1;; ++attempt) {
      const std::int64_t before = part_.size_bytes();
      try {
        attempt_once(transport);
        break;
      } catch (const Error& error) {
        if (error.kind() != ErrorKind::unavailable) throw;
        if (part_.size_bytes() > before) {
          attempt = 0;
          wait = request_.first_wait;
        } else if (attempt >= request_.attempt_limit) {
          fail(ErrorKind::io, "{}; gave up after {} attempts, the same command goes on at {}",
               error.message(), attempt, bytes_text(part_.size_bytes()));
        }
      }
      std::this_thread::sleep_for(wait);
      wait *= 2;
    }
    verify_and_commit(part_, request_.sha256.empty() ? server_sha256_ : request_.sha256,
                      request_.label);
    remove_etag();
  }

  bool begin(const HttpResponse& response) override {
    server_sha256_ = response.sha256;
    switch (response.status) {
      case kOk:
        part_.restart();
        keep_etag(response.etag);
        break;
      case kPartialContent:
        if (response.range_start != part_.size_bytes()) return begin_anew();
        break;
      case kRangeNotSatisfiable:
        return begin_anew();
      default:
        fail_with_status(response.status);
    }
    if (response.content_length) {
      total_bytes_ = part_.size_bytes() + *response.content_length;
      progress_.set_total(total_bytes_);
      part_.require_space(*response.content_length);
    }
    return true;
  }

  void write(std::span<const std::byte> bytes) override {
    if (InterruptGuard::requested()) {
      fail(ErrorKind::cancelled, "interrupted; {} are kept, the same command goes on from there",
           bytes_text(part_.size_bytes()));
    }
    part_.append(bytes);
    progress_.update(part_.size_bytes());
  }

 private:
  void attempt_once(HttpTransport& transport) {
    total_bytes_ = -1;
    anew_ = false;
    transport.get(with_range(), *this);
    if (anew_) {
      part_.restart();
      transport.get(request_.http, *this);
    }
    if (total_bytes_ >= 0 && part_.size_bytes() != total_bytes_) {
      fail(ErrorKind::unavailable, "{}: the connection was cut at {} of {}", request_.http.url,
           bytes_text(part_.size_bytes()), bytes_text(total_bytes_));
    }
  }

  // Asks for the rest of what an earlier attempt left.
  HttpRequest with_range() const {
    HttpRequest http = request_.http;
    if (part_.size_bytes() == 0) return http;
    std::ifstream file(etag_path_);
    std::string etag;
    std::getline(file, etag);
    if (etag.empty() && request_.sha256.empty()) return http;
    http.headers.push_back(fmt::format("Range: bytes={}-", part_.size_bytes()));
    if (!etag.empty()) http.headers.push_back("If-Range: " + etag);
    return http;
  }

  bool begin_anew() {
    anew_ = true;
    return false;
  }

  // A weak ETag ("W/...") does not promise equal bytes.
  void keep_etag(const std::string& etag) {
    remove_etag();
    if (etag.starts_with('"')) std::ofstream(etag_path_) << etag << '\n';
  }

  void remove_etag() {
    std::error_code ignored;
    fs::remove(etag_path_, ignored);
  }

  [[noreturn]] void fail_with_status(int status) const {
    const std::string& url = request_.http.url;
    if (status == kNotFound || status == kGone)
      fail(ErrorKind::not_found, "{}: the server has no such file (HTTP {}); check the name", url,
           status);
    if (status == kUnauthorized || status == kForbidden)
      fail(ErrorKind::io, "{}: access denied (HTTP {}){}{}", url, status,
           request_.access_hint.empty() ? "" : "; ", request_.access_hint);
    if (status == kTooManyRequests || status >= 500)
      fail(ErrorKind::unavailable, "{}: the server is busy or broken (HTTP {})", url, status);
    fail(ErrorKind::io, "{}: unexpected answer HTTP {}, expected 200", url, status);
  }

  const DownloadRequest& request_;
  PartFile part_;
  fs::path etag_path_;
  Progress progress_;
  std::string server_sha256_;
  std::int64_t total_bytes_ = -1;
  bool anew_ = false;
};

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

bool starts_as_gguf(const fs::path& path) {
  std::array<char, 4> magic{};
  std::ifstream file(path, std::ios::binary);
  return file.read(magic.data(), magic.size()) && magic == std::array{'G', 'G', 'U', 'F'};
}

}  // namespace

void download(HttpTransport& transport, const DownloadRequest& request) {
  const InterruptGuard guard;
  Download(request).run(transport);
}

void verify_and_commit(PartFile& part, const std::string& sha256, const std::string& label) {
  if (!sha256.empty()) {
    const std::string found = sha256_of_file(part.part_path());
    if (found != lower_case(sha256)) {
      part.discard();
      fail(ErrorKind::corrupt,
           "{}: SHA-256 is {}, expected {}; what was fetched is removed, try again", label, found,
           lower_case(sha256));
    }
  }
  if (!starts_as_gguf(part.part_path())) {
    part.discard();
    fail(ErrorKind::corrupt,
         "{}: what was fetched is no GGUF file and is removed; check the address", label);
  }
  part.commit();
}

}  // namespace cairn::cli
