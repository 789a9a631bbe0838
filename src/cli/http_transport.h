#pragma once
// GET over HTTP, as much as a download needs; tests put a scripted one in the network's place.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace cairn::cli {

struct HttpRequest {
  std::string url;
  std::vector<std::string> headers{};  // "Name: value"; credentials are not sent to other hosts
};

struct HttpResponse {
  int status = 0;
  std::optional<std::int64_t> content_length{};
  std::int64_t range_start = 0;  // of a 206: where the body begins in the whole
  std::string etag{};
  std::string sha256{};  // of the whole, where the server tells (Hugging Face does)
};

/// Takes one response. Both may throw; the error comes out of get().
class HttpSink {
 public:
  virtual ~HttpSink() = default;
  /// After the last redirect and before the body. False: the body is not wanted.
  virtual bool begin(const HttpResponse& response) = 0;
  virtual void write(std::span<const std::byte> bytes) = 0;
};

class HttpTransport {
 public:
  virtual ~HttpTransport() = default;
  /// Returns when the body is complete or unwanted. Throws unavailable where the connection is cut
  /// and another attempt may go on, io where it fails otherwise, unsupported for an address that is
  /// not allowed: only https is, except to this machine.
  virtual void get(const HttpRequest& request, HttpSink& sink) = 0;
};

/// libcurl: heeds *_PROXY, CURL_CA_BUNDLE and SSL_CERT_FILE.
std::unique_ptr<HttpTransport> make_curl_transport();

}  // namespace cairn::cli
