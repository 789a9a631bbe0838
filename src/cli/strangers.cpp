#include "cli/strangers.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/error.h"
#include "cli/prompt_source.h"

namespace cairn::cli {
namespace {

Stranger parse_stranger(const std::string& line, const std::string& path, int number) {
  const auto object = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!object.is_object() || !object.contains("tokens") || !object["tokens"].is_array()) {
    fail(ErrorKind::invalid_argument,
         "{}: line {}: expected an object with a list 'tokens', such as {{\"tokens\": [1, 2]}}",
         path, number);
  }
  Stranger stranger;
  for (const auto& token : object["tokens"]) {
    if (!token.is_number_integer()) {
      fail(ErrorKind::invalid_argument, "{}: line {}: 'tokens' holds {}, not a token id", path,
           number, token.dump());
    }
    stranger.tokens.emplace_back(token.get<std::int32_t>());
  }
  return stranger;
}

}  // namespace

std::vector<Stranger> read_strangers(const std::string& path) {
  std::vector<Stranger> strangers;
  std::istringstream lines(read_file(path));
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    strangers.push_back(parse_stranger(line, path, number));
  }
  return strangers;
}

std::string RowCounter::summary() const {
  if (rows_.empty()) return "rows per step: no step";
  std::vector<std::int32_t> sorted = rows_;
  std::sort(sorted.begin(), sorted.end());
  return fmt::format("rows per step: median {}, smallest {}, largest {}, {} steps",
                     sorted[sorted.size() / 2], sorted.front(), sorted.back(), sorted.size());
}

Company::Company(engine::Session& session, const std::vector<Stranger>& strangers)
    : session_(session) {
  for (const Stranger& stranger : strangers) {
    Request request = session.new_request(stranger.tokens);
    request.sampling.ignore_eos = true;
    request.sampling.seed = ids_.size();
    ids_.push_back(session.submit(std::move(request)));
  }
}

void Company::end_all() {
  for (const RequestId id : ids_) session_.cancel(id);
}

}  // namespace cairn::cli
