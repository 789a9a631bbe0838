#include "serving_load.h"

#include <fstream>
#include <map>
#include <sstream>

#include "base/error.h"
#include "random.h"
#include "schedule/counting_executor.h"

namespace cairn::simulation {
namespace {

bool read_request(const std::string& line, LoadRequest& request) {
  std::istringstream fields(line);
  double arrival_ms = 0;
  if (!(fields >> arrival_ms >> request.prompt_tokens >> request.output_tokens)) return false;
  request.arrival_seconds = arrival_ms * 1e-3;
  std::string sharing;
  if (!(fields >> sharing)) return true;
  request.sharing = sharing == "prefix" ? Sharing::prefix : Sharing::turn;
  if (!(fields >> request.shared_id)) return false;
  if (request.sharing == Sharing::turn) return sharing == "turn";
  return static_cast<bool>(fields >> request.prefix_tokens);
}

void append_random(std::vector<TokenId>& tokens, std::int32_t count, std::uint64_t seed) {
  Random random(seed);
  for (std::int32_t i = 0; i < count; ++i) tokens.emplace_back(random.below(kLoadVocabulary));
}

}  // namespace

void append_generated(std::vector<TokenId>& tokens, std::int32_t count) {
  using schedule::CountingExecutor;
  std::uint64_t prefix = 0;
  for (const TokenId token : tokens) prefix = CountingExecutor::append(prefix, token);
  for (std::int32_t i = 0; i < count; ++i) {
    tokens.push_back(CountingExecutor::draw(prefix, 0, 0, kLoadVocabulary));
    prefix = CountingExecutor::append(prefix, tokens.back());
  }
}

std::vector<LoadRequest> read_load(const std::filesystem::path& path) {
  std::ifstream file(path);
  if (!file) fail(ErrorKind::not_found, "{}: cannot be read", path.string());
  std::vector<LoadRequest> load;
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    if (line.empty() || line.front() == '#') continue;
    LoadRequest request;
    if (!read_request(line, request)) {
      fail(ErrorKind::corrupt, "{}:{}: found '{}', expected arrival_ms prompt_tokens output_tokens",
           path.string(), number, line);
    }
    load.push_back(request);
  }
  return load;
}

std::vector<std::vector<TokenId>> prompts_of(const std::vector<LoadRequest>& load) {
  std::vector<std::vector<TokenId>> prompts;
  std::map<std::int32_t, std::vector<TokenId>> histories;  // of conversations
  for (const LoadRequest& request : load) {
    std::vector<TokenId>& prompt = prompts.emplace_back();
    const std::uint64_t own_seed = 2 * prompts.size();
    const auto shared_seed = 2 * static_cast<std::uint64_t>(request.shared_id) + 1;
    std::int32_t own = request.prompt_tokens;
    if (request.sharing == Sharing::prefix) {
      append_random(prompt, request.prefix_tokens, shared_seed);
      own -= request.prefix_tokens;
    }
    if (request.sharing != Sharing::turn) {
      append_random(prompt, own, own_seed);
      continue;
    }
    std::vector<TokenId>& history = histories[request.shared_id];
    append_random(history, own, own_seed);
    prompt = history;
    append_generated(history, request.output_tokens);
  }
  return prompts;
}

}  // namespace cairn::simulation
