#include "cli/download.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "cli/part_file.h"
#include "cli/test_support.h"

namespace cairn::cli {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

// A server with one file that can cut the line, change the file and forget ranges.
class ScriptedTransport final : public HttpTransport {
 public:
  void get(const HttpRequest& request, HttpSink& sink) override {
    requests.push_back(request);
    HttpResponse response{.status = status, .etag = etag, .sha256 = sha256};
    const std::size_t start = start_of(request, response);
    response.content_length = static_cast<std::int64_t>(content.size() - start);
    if (!sink.begin(response)) return;
    const std::size_t end = start + std::min(content.size() - start, cut_after);
    cut_after = std::string::npos;
    sink.write(std::as_bytes(std::span(content).subspan(start, end - start)));
    if (end < content.size()) fail(ErrorKind::unavailable, "cut");
  }

  std::string content = "GGUF and what follows";
  std::string etag = "\"one\"";
  std::string sha256;
  int status = 200;
  std::size_t cut_after = std::string::npos;  // of the next answer
  std::vector<HttpRequest> requests;

 private:
  std::size_t start_of(const HttpRequest& request, HttpResponse& response) const {
    std::size_t start = 0;
    bool unchanged = true;
    for (const std::string& header : request.headers) {
      if (header.starts_with("Range: bytes=")) start = std::stoul(header.substr(13));
      if (header.starts_with("If-Range: ")) unchanged = header.substr(10) == etag;
    }
    if (start == 0 || !unchanged || status != 200) return 0;
    response.status = start < content.size() ? 206 : 416;
    response.range_start = static_cast<std::int64_t>(start);
    return std::min(start, content.size());
  }
};

class DownloadTest : public FolderTest {
 protected:
  void SetUp() override {
    FolderTest::SetUp();
    request_.path = folder_ / "models" / "x.gguf";
    request_.http.url = "https://host/x.gguf";
    request_.label = "x";
    request_.first_wait = std::chrono::milliseconds(0);
  }

  // An earlier attempt that ended after `size` bytes.
  void leave_part(std::size_t size, const std::string& etag) const {
    write_text(part(), transport_.content.substr(0, size));
    if (!etag.empty()) write_text(part() + ".etag", etag + "\n");
  }
  std::string part() const { return request_.path.string() + ".part"; }
  void expect_complete() const {
    EXPECT_EQ(text_of(request_.path), transport_.content);
    EXPECT_FALSE(fs::exists(part()));
    EXPECT_FALSE(fs::exists(part() + ".etag"));
  }

  ScriptedTransport transport_;
  DownloadRequest request_;
};

TEST_F(DownloadTest, FetchesAFileAndMakesItsFolder) {
  download(transport_, request_);
  expect_complete();
}

TEST_F(DownloadTest, GoesOnWithinOneCallAfterACut) {
  transport_.cut_after = 7;
  download(transport_, request_);
  expect_complete();
  ASSERT_EQ(transport_.requests.size(), 2U);
  EXPECT_THAT(transport_.requests[1].headers,
              ::testing::ElementsAre("Range: bytes=7-", "If-Range: \"one\""));
}

TEST_F(DownloadTest, GoesOnWhereAnEarlierCallEnded) {
  leave_part(9, "\"one\"");
  download(transport_, request_);
  expect_complete();
  EXPECT_EQ(transport_.requests.size(), 1U);
}

TEST_F(DownloadTest, BeginsAnewWhenTheFileChanged) {
  leave_part(9, "\"zero\"");
  transport_.content = "GGUF, but another";
  download(transport_, request_);
  expect_complete();
}

TEST_F(DownloadTest, WithoutAnEtagOnlyAChecksumMakesAPartUsable) {
  transport_.etag = "W/\"weak\"";
  leave_part(9, "");
  download(transport_, request_);
  EXPECT_TRUE(transport_.requests.back().headers.empty());
  expect_complete();

  fs::remove(request_.path);
  leave_part(9, "");
  request_.sha256 = sha256_of(transport_.content);
  download(transport_, request_);
  EXPECT_THAT(transport_.requests.back().headers, ::testing::ElementsAre("Range: bytes=9-"));
  expect_complete();
}

TEST_F(DownloadTest, BeginsAnewWhenThePartIsLongerThanTheFile) {
  leave_part(transport_.content.size(), "\"one\"");
  download(transport_, request_);
  expect_complete();
}

TEST_F(DownloadTest, GivesUpWhenNothingComesAndKeepsThePart) {
  leave_part(9, "\"one\"");
  transport_.status = 503;
  const Error error = error_of([&] { download(transport_, request_); });
  EXPECT_EQ(error.kind(), ErrorKind::io);
  EXPECT_THAT(error.message(), HasSubstr("HTTP 503"));
  EXPECT_EQ(transport_.requests.size(), 4U);
  EXPECT_EQ(fs::file_size(part()), 9U);
}

TEST_F(DownloadTest, AnswersThatNoRepetitionMendsAreErrorsAtOnce) {
  request_.access_hint = "set HF_TOKEN";
  const struct {
    int status;
    ErrorKind kind;
    const char* part;
  } kCases[] = {{404, ErrorKind::not_found, "no such file"},
                {401, ErrorKind::io, "set HF_TOKEN"},
                {403, ErrorKind::io, "set HF_TOKEN"},
                {400, ErrorKind::io, "HTTP 400"}};
  for (const auto& [status, kind, part] : kCases) {
    transport_.status = status;
    transport_.requests.clear();
    const Error error = error_of([&] { download(transport_, request_); });
    EXPECT_EQ(error.kind(), kind) << status;
    EXPECT_THAT(error.message(), HasSubstr(part));
    EXPECT_THAT(error.message(), HasSubstr("https://host/x.gguf"));
    EXPECT_EQ(transport_.requests.size(), 1U);
    EXPECT_FALSE(fs::exists(request_.path));
  }
}

TEST_F(DownloadTest, AWrongChecksumRemovesTheFileAndSaysBoth) {
  request_.sha256 = std::string(64, 'A');
  const Error error = error_of([&] { download(transport_, request_); });
  EXPECT_EQ(error.kind(), ErrorKind::corrupt);
  EXPECT_THAT(error.message(), HasSubstr(sha256_of(transport_.content)));
  EXPECT_THAT(error.message(), HasSubstr(std::string(64, 'a')));
  EXPECT_FALSE(fs::exists(request_.path));
  EXPECT_FALSE(fs::exists(part()));
}

TEST_F(DownloadTest, TheServersChecksumCountsWhereNoneIsGiven) {
  transport_.sha256 = std::string(64, '0');
  EXPECT_EQ(error_of([&] { download(transport_, request_); }).kind(), ErrorKind::corrupt);
  transport_.sha256 = sha256_of(transport_.content);
  download(transport_, request_);
  expect_complete();
}

TEST_F(DownloadTest, AWebPageIsNoModel) {
  transport_.content = "<html>log in first</html>";
  const Error error = error_of([&] { download(transport_, request_); });
  EXPECT_EQ(error.kind(), ErrorKind::corrupt);
  EXPECT_THAT(error.message(), HasSubstr("no GGUF file"));
  EXPECT_FALSE(fs::exists(part()));
}

TEST_F(DownloadTest, AFolderThatCannotBeMadeIsNamed) {
  write_text(folder_ / "models", "a file");
  const Error error = error_of([&] { download(transport_, request_); });
  EXPECT_EQ(error.kind(), ErrorKind::io);
  EXPECT_THAT(error.message(), HasSubstr((folder_ / "models").string()));
  EXPECT_THAT(error.message(), HasSubstr("XDG_CACHE_HOME"));
}

TEST_F(DownloadTest, WhatDoesNotFitOnTheDiskIsRefusedWithTheNumbers) {
  const PartFile file(request_.path);
  EXPECT_NO_THROW(file.require_space(1));
  const Error error = error_of([&] { file.require_space(std::int64_t{1} << 60); });
  EXPECT_EQ(error.kind(), ErrorKind::io);
  EXPECT_THAT(error.message(), HasSubstr("disk full"));
}

TEST_F(DownloadTest, AnEmptyPartIsNotLeftBehind) {
  transport_.status = 404;
  error_of([&] { download(transport_, request_); });
  EXPECT_FALSE(fs::exists(part()));
}

TEST_F(DownloadTest, TwoProcessesDoNotWriteOneFile) {
  const PartFile first(request_.path);
  EXPECT_EQ(error_of([&] { const PartFile second(request_.path); }).kind(), ErrorKind::unavailable);
}

}  // namespace
}  // namespace cairn::cli
