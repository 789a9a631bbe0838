// What a conversation costs before its first token: 50 messages and 20 tools, from a request to the
// pieces of a prompt, for every .jinja file of the folder that CAIRN_CHAT_TEMPLATES names and for
// the builtin templates.

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "text/builtin_templates.h"
#include "text/chat_template.h"

namespace cairn::text {
namespace {

namespace fs = std::filesystem;

constexpr int kMessages = 50;
constexpr int kTools = 20;

std::string tools_json() {
  std::string tools;
  for (int i = 0; i < kTools; ++i) {
    tools += fmt::format(
        R"({}{{"type": "function", "function": {{"name": "tool_{}", "description": "Looks \"it\")"
        R"( up in a table and says what it found there.", "parameters": {{"type": "object",)"
        R"( "properties": {{"query": {{"type": "string", "description": "What to look for"}},)"
        R"( "limit": {{"type": "integer", "description": "How many"}}}}, )"
        R"("required": ["query"]}}}}}})",
        i == 0 ? "" : ", ", i);
  }
  return fmt::format("[{}]", tools);
}

/// Half of the answers call a tool first, where the template knows such messages.
std::vector<ChatMessage> conversation(bool with_calls) {
  const std::string words = "The harbour opens at seven — naïve boats wait outside. 🙂\n";
  std::vector<ChatMessage> messages;
  for (int i = 0; i < kMessages; ++i) {
    std::string text = fmt::format("{}. ", i);
    for (int n = 0; n < 10; ++n) text += words;
    if (with_calls && i % 4 == 1) {
      messages.push_back(
          {"assistant", "",
           fmt::format(R"({{"tool_calls": [{{"id": "call{:05}", "type": "function", "function": )"
                       R"({{"name": "tool_3", "arguments": {{"query": "boats"}}}}}}]}})",
                       i)});
    } else if (with_calls && i % 4 == 2) {
      messages.push_back(
          {"tool", text,
           fmt::format(R"({{"tool_call_id": "call{:05}", "name": "tool_3"}})", i - 1)});
    } else {
      messages.push_back({i % 2 == 0 ? "user" : "assistant", text});
    }
  }
  return messages;
}

ChatRequest request_for(const ChatTemplate& chat_template, const TokenTexts& tokens) {
  ChatRequest request{.messages = conversation(true), .tools_json = tools_json()};
  try {
    chat_template.render(request, tokens);
  } catch (const Error&) {
    request.messages = conversation(false);
  }
  return request;
}

void render(benchmark::State& state, const std::string& source) {
  const TokenTexts tokens = {{"bos_token", "<s>"}, {"eos_token", "</s>"}};
  try {
    const ChatTemplate chat_template(source);
    const ChatRequest request = request_for(chat_template, tokens);
    std::size_t bytes = 0;
    for (auto step : state) bytes = joined(chat_template.render(request, tokens)).size();
    state.counters["prompt_bytes"] = static_cast<double>(bytes);
  } catch (const Error& error) {
    state.SkipWithError(error.message().c_str());
  }
}

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void add(const std::string& name, std::string source) {
  benchmark::RegisterBenchmark(name.c_str(), [source = std::move(source)](benchmark::State& state) {
    render(state, source);
  })->Unit(benchmark::kMicrosecond);
}

const bool kRegistered = [] {
  for (const BuiltinTemplate& builtin : builtin_templates()) {
    add(fmt::format("render/{}", builtin.name), std::string(builtin.source));
  }
  const char* folder = std::getenv("CAIRN_CHAT_TEMPLATES");
  if (folder == nullptr) return true;
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".jinja") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  for (const fs::path& file : files) {
    add(fmt::format("render/{}", file.stem().string()), read_file(file));
  }
  return true;
}();

}  // namespace
}  // namespace cairn::text
