#include <arpa/inet.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "cli/download.h"
#include "cli/test_support.h"

namespace cairn::cli {
namespace {

using ::testing::HasSubstr;

// Answers one GET after another on a port of this machine:
//   /x.gguf     the content, with ranges; the first answer ends after `cut_after` bytes
//   /moved      a redirect to /x.gguf
//   /away       a redirect to an ftp address
//   else        404
class SmallServer {
 public:
  SmallServer() : socket_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    EXPECT_EQ(bind(socket_, generic, size), 0);
    EXPECT_EQ(listen(socket_, 8), 0);
    EXPECT_EQ(getsockname(socket_, generic, &size), 0);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { serve(); });
  }
  ~SmallServer() {
    shutdown(socket_, SHUT_RDWR);
    thread_.join();
    close(socket_);
  }
  std::string url(const std::string& path) const {
    return fmt::format("http://127.0.0.1:{}{}", port_, path);
  }

  std::string content = "GGUF and a little more than that";
  std::atomic<std::size_t> cut_after = std::string::npos;
  std::atomic<int> request_count = 0;

 private:
  void serve() {
    for (;;) {
      const int client = accept(socket_, nullptr, nullptr);
      if (client < 0) return;
      ++request_count;
      const std::string answer = answer_to(read_request(client));
      EXPECT_EQ(send(client, answer.data(), answer.size(), MSG_NOSIGNAL),
                static_cast<ssize_t>(answer.size()));
      close(client);
    }
  }

  static std::string read_request(int client) {
    std::string request;
    char chunk[1024];
    while (request.find("\r\n\r\n") == std::string::npos) {
      const ssize_t count = recv(client, chunk, sizeof(chunk), 0);
      if (count <= 0) break;
      request.append(chunk, static_cast<std::size_t>(count));
    }
    return request;
  }

  std::string answer_to(const std::string& request) {
    const auto redirect = [](const std::string& to) {
      return "HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: " + to + "\r\n\r\n";
    };
    if (request.starts_with("GET /moved ")) return redirect("/x.gguf");
    if (request.starts_with("GET /away ")) return redirect("ftp://host/x.gguf");
    if (!request.starts_with("GET /x.gguf "))
      return "HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\nnone";
    std::size_t start = 0;
    if (const std::size_t range = request.find("Range: bytes="); range != std::string::npos)
      start = std::stoul(request.substr(range + 13));
    const std::string body = content.substr(start);
    const std::string head =
        fmt::format("HTTP/1.1 {}\r\nETag: \"one\"\r\nContent-Length: {}\r\n",
                    start == 0 ? "200 OK"
                               : fmt::format("206 Partial Content\r\nContent-Range: bytes {}-{}/{}",
                                             start, content.size() - 1, content.size()),
                    body.size());
    return head + "\r\n" + body.substr(0, cut_after.exchange(std::string::npos));
  }

  int socket_;
  int port_ = 0;
  std::thread thread_;
};

class CurlTransportTest : public FolderTest {
 protected:
  void fetch(const std::string& url) {
    request_.http.url = url;
    request_.path = folder_ / "x.gguf";
    request_.label = "x";
    request_.first_wait = std::chrono::milliseconds(0);
    download(*make_curl_transport(), request_);
  }

  SmallServer server_;
  DownloadRequest request_;
};

TEST_F(CurlTransportTest, FetchesAndFollowsRedirects) {
  fetch(server_.url("/moved"));
  EXPECT_EQ(text_of(request_.path), server_.content);
  EXPECT_EQ(server_.request_count, 2);
}

TEST_F(CurlTransportTest, AConnectionThatIsCutGoesOnWhereItEnded) {
  server_.cut_after = 11;
  fetch(server_.url("/x.gguf"));
  EXPECT_EQ(text_of(request_.path), server_.content);
  EXPECT_EQ(server_.request_count, 2);
}

TEST_F(CurlTransportTest, MissingFilesAreNotFound) {
  EXPECT_EQ(error_of([&] { fetch(server_.url("/y.gguf")); }).kind(), ErrorKind::not_found);
}

TEST_F(CurlTransportTest, ARedirectMayNotLeaveTheProtocol) {
  EXPECT_EQ(error_of([&] { fetch(server_.url("/away")); }).kind(), ErrorKind::io);
  EXPECT_EQ(server_.request_count, 1);
}

TEST_F(CurlTransportTest, NobodyListeningIsAnErrorAtOnce) {
  const Error error = error_of([&] { fetch("http://127.0.0.1:1/x.gguf"); });
  EXPECT_EQ(error.kind(), ErrorKind::io);
  EXPECT_THAT(error.message(), HasSubstr("127.0.0.1"));
}

TEST_F(CurlTransportTest, OnlyHttpsLeavesThisMachine) {
  EXPECT_EQ(error_of([&] { fetch("http://host/x.gguf"); }).kind(), ErrorKind::unsupported);
  EXPECT_EQ(error_of([&] { fetch("file:///etc/passwd"); }).kind(), ErrorKind::unsupported);
  EXPECT_EQ(error_of([&] { fetch("https://"); }).kind(), ErrorKind::invalid_argument);
}

}  // namespace
}  // namespace cairn::cli
