#pragma once
// One file over HTTP: goes on where an earlier attempt ended, checks what came, and only then gives
// it its name.

#include <chrono>
#include <filesystem>
#include <string>

#include "cli/http_transport.h"

namespace cairn::cli {

struct DownloadRequest {
  HttpRequest http;
  std::filesystem::path path;                  // of the complete file
  std::string sha256;                          // expected; empty: what the server says, if it does
  std::string label;                           // beside the progress bar
  std::string access_hint;                     // what to do when the server answers 401 or 403
  int attempt_limit = 4;                       // in a row without a byte of progress
  std::chrono::milliseconds first_wait{1000};  // doubled from attempt to attempt
};

/// Fetches into path.part and renames. An interrupted part is continued (If-Range with the server's
/// ETag; without one only if a checksum will tell). Throws not_found (404), io (network, disk,
/// other answers), corrupt (checksum, not a GGUF file; the part is removed) or cancelled (Ctrl-C;
/// the part is kept).
void download(HttpTransport& transport, const DownloadRequest& request);

class PartFile;

/// The end of every fetch: throws corrupt and removes the part unless it is a GGUF file with this
/// checksum (empty: any); else gives it its name.
void verify_and_commit(PartFile& part, const std::string& sha256, const std::string& label);

}  // namespace cairn::cli
