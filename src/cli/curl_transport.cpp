#include <curl/curl.h>
#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <exception>
#include <utility>

#include "base/error.h"
#include "cli/http_transport.h"
#include "cli/sha256.h"

namespace cairn::cli {
namespace {

constexpr long kConnectSeconds = 30;
constexpr long kStallSeconds = 60;  // without a byte
constexpr long kRedirectLimit = 10;

struct FreeCurl {
  void operator()(CURL* curl) const { curl_easy_cleanup(curl); }
  void operator()(CURLU* url) const { curl_url_cleanup(url); }
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};

bool is_this_machine(const std::string& host) {
  return host == "localhost" || host == "127.0.0.1" || host == "[::1]";
}

// One part of a URL; empty if it has none.
std::string part_of(CURLU* url, CURLUPart part) {
  char* text = nullptr;
  if (curl_url_get(url, part, &text, 0) != CURLUE_OK) return {};
  std::string copy = text;
  curl_free(text);
  return copy;
}

// The only protocol that this address and its redirects may use.
const char* allowed_protocol(const std::string& address) {
  const std::unique_ptr<CURLU, FreeCurl> url(curl_url());
  if (curl_url_set(url.get(), CURLUPART_URL, address.c_str(), 0) != CURLUE_OK) {
    fail(ErrorKind::invalid_argument, "not a URL: '{}'; it looks like https://host/file.gguf",
         address);
  }
  const std::string scheme = part_of(url.get(), CURLUPART_SCHEME);
  if (scheme == "https") return "https";
  if (scheme == "http" && is_this_machine(part_of(url.get(), CURLUPART_HOST))) return "http";
  fail(ErrorKind::unsupported, "{}: only https is fetched; found {}", address, scheme);
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

std::string_view without_quotes(std::string_view text) {
  const bool quoted = text.size() >= 2 && text.front() == '"' && text.back() == '"';
  return quoted ? text.substr(1, text.size() - 2) : text;
}

// What another attempt may mend.
bool is_transient(CURLcode code) {
  switch (code) {
    case CURLE_PARTIAL_FILE:
    case CURLE_RECV_ERROR:
    case CURLE_SEND_ERROR:
    case CURLE_GOT_NOTHING:
    case CURLE_OPERATION_TIMEDOUT:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM:
      return true;
    default:
      return false;
  }
}

std::optional<std::int64_t> number_in(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || number < 0) return std::nullopt;
  return number;
}

// One transfer: libcurl's callbacks with the sink behind them. Exceptions must not pass through C,
// so the first is kept and thrown after it.
class Transfer {
 public:
  explicit Transfer(HttpSink& sink) : sink_(sink) {}

  std::size_t take_header(std::string_view line) {
    if (line.starts_with("HTTP/")) {
      // Of the redirects before, only the checksum counts for the end.
      std::string sha256 = std::move(response_.sha256);
      response_ = {};
      response_.sha256 = std::move(sha256);
      return line.size();
    }
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) return line.size();
    std::string name(line.substr(0, colon));
    for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    take_field(name, trimmed(line.substr(colon + 1)));
    return line.size();
  }

  std::size_t take_body(CURL* curl, std::span<const std::byte> bytes) {
    try {
      if (!begin_once(curl)) return 0;
      sink_.write(bytes);
      return bytes.size();
    } catch (...) {
      error_ = std::current_exception();
      return 0;  // makes libcurl end the transfer
    }
  }

  void finish(CURL* curl, CURLcode code, const std::string& url) {
    if (error_) std::rethrow_exception(error_);
    if (begun_ && !wanted_) return;
    if (code != CURLE_OK) {
      fail(is_transient(code) ? ErrorKind::unavailable : ErrorKind::io, "{}: {}", url,
           *message() != '\0' ? message() : curl_easy_strerror(code));
    }
    begin_once(curl);  // an empty body
  }

  char* message() { return message_; }

 private:
  void take_field(const std::string& name, std::string_view value) {
    if (name == "content-length") response_.content_length = number_in(value);
    if (name == "etag") response_.etag = value;
    if (name == "x-linked-etag" && is_sha256(without_quotes(value)))
      response_.sha256 = without_quotes(value);
    if (name == "content-range" && value.starts_with("bytes "))
      response_.range_start = number_in(value.substr(6)).value_or(-1);
  }

  bool begin_once(CURL* curl) {
    if (begun_) return wanted_;
    begun_ = true;
    long status = 0;
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
    response_.status = static_cast<int>(status);
    wanted_ = sink_.begin(response_);
    return wanted_;
  }

  HttpSink& sink_;
  HttpResponse response_;
  bool begun_ = false;
  bool wanted_ = false;
  std::exception_ptr error_;
  char message_[CURL_ERROR_SIZE] = "";
};

struct Callbacks {
  CURL* curl;
  Transfer& transfer;
};

std::size_t header_callback(char* data, std::size_t size, std::size_t count, void* user) {
  return static_cast<Callbacks*>(user)->transfer.take_header({data, size * count});
}

std::size_t body_callback(char* data, std::size_t size, std::size_t count, void* user) {
  auto* callbacks = static_cast<Callbacks*>(user);
  return callbacks->transfer.take_body(callbacks->curl,
                                       std::as_bytes(std::span(data, size * count)));
}

void set_limits(CURL* curl, const char* protocol) {
  curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, protocol);
  curl_easy_setopt(curl, CURLOPT_REDIR_PROTOCOLS_STR, protocol);
  curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 1L);
  curl_easy_setopt(curl, CURLOPT_MAXREDIRS, kRedirectLimit);
  curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, kConnectSeconds);
  curl_easy_setopt(curl, CURLOPT_LOW_SPEED_LIMIT, 1L);
  curl_easy_setopt(curl, CURLOPT_LOW_SPEED_TIME, kStallSeconds);
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl, CURLOPT_USERAGENT, "cairn/" CAIRN_VERSION);
  // As the curl program does; the library alone reads neither.
  for (const char* variable : {"SSL_CERT_FILE", "CURL_CA_BUNDLE"}) {
    const char* file = std::getenv(variable);
    if (file != nullptr && *file != '\0') curl_easy_setopt(curl, CURLOPT_CAINFO, file);
  }
}

class CurlTransport final : public HttpTransport {
 public:
  void get(const HttpRequest& request, HttpSink& sink) override {
    const char* protocol = allowed_protocol(request.url);
    const std::unique_ptr<CURL, FreeCurl> curl(curl_easy_init());
    if (!curl) fail(ErrorKind::io, "{}: libcurl does not start", request.url);
    std::unique_ptr<curl_slist, FreeCurl> headers;
    for (const std::string& header : request.headers) {
      curl_slist* longer = curl_slist_append(headers.get(), header.c_str());
      static_cast<void>(headers.release());
      headers.reset(longer);
    }
    Transfer transfer(sink);
    Callbacks callbacks{curl.get(), transfer};
    set_limits(curl.get(), protocol);
    curl_easy_setopt(curl.get(), CURLOPT_URL, request.url.c_str());
    curl_easy_setopt(curl.get(), CURLOPT_HTTPHEADER, headers.get());
    curl_easy_setopt(curl.get(), CURLOPT_ERRORBUFFER, transfer.message());
    curl_easy_setopt(curl.get(), CURLOPT_HEADERFUNCTION, header_callback);
    curl_easy_setopt(curl.get(), CURLOPT_HEADERDATA, &callbacks);
    curl_easy_setopt(curl.get(), CURLOPT_WRITEFUNCTION, body_callback);
    curl_easy_setopt(curl.get(), CURLOPT_WRITEDATA, &callbacks);
    const CURLcode code = curl_easy_perform(curl.get());
    transfer.finish(curl.get(), code, request.url);
  }
};

}  // namespace

std::unique_ptr<HttpTransport> make_curl_transport() {
  return std::make_unique<CurlTransport>();
}

}  // namespace cairn::cli
