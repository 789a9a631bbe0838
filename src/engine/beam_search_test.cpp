// Beams of whole models: those of transformers' generate() (tools/make_beam_cases.py), in any
// company, on any pages.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "engine/session.h"
#include "engine/test_loaded.h"

namespace cairn::engine {
namespace {

using nlohmann::json;

/// Where a case's model stands, or empty.
std::filesystem::path folder_of(const std::string& name) {
  for (const char* const place : {"/tests/cases/models/", "/../shared/conformance/tiny_models/"}) {
    std::filesystem::path folder = std::string(CAIRN_SOURCE_DIR) + place + name;
    if (std::filesystem::exists(folder)) return folder;
  }
  return {};
}

struct Beams final : schedule::RequestObserver {
  schedule::Next on_token(const schedule::TokenEvent& event) override {
    tokens.resize(static_cast<std::size_t>(event.choice) + 1);
    tokens.back().push_back(event.token.value);
    return schedule::Next::go_on;
  }
  void on_finished(const schedule::FinishedEvent& event) override {
    scores.push_back(event.beam_score);
    reasons.push_back(event.reason);
    is_over = event.last;
  }
  std::vector<std::vector<int>> tokens;
  std::vector<float> scores;
  std::vector<schedule::FinishReason> reasons;
  bool is_over = false;
};

EngineOptions small() {
  EngineOptions options;
  options.context_tokens = 64;
  options.kv_tokens = 1024;
  options.max_sequences = 6;
  options.max_logit_rows = 8;
  options.key_type = options.value_type = DType::f32;
  return options;
}

std::vector<TokenId> tokens_of(const json& list) {
  std::vector<TokenId> tokens;
  for (const json& token : list) tokens.emplace_back(token.get<std::int32_t>());
  return tokens;
}

Request request_of(const json& test, const Session& session, Beams& beams) {
  Request request = session.new_request(tokens_of(test.at("prompt")));
  schedule::BeamSearchOptions search;
  search.width = test.at("num_beams");
  search.length_penalty = test.value("length_penalty", 1.0f);
  if (const auto early = test.find("early_stopping"); early != test.end()) {
    search.early_stopping = !early->is_boolean() ? schedule::EarlyStopping::never
                            : early->get<bool>() ? schedule::EarlyStopping::yes
                                                 : schedule::EarlyStopping::no;
  }
  request.beam_search = search;
  request.choice_count = search.width;
  request.max_tokens = test.at("max_tokens");
  request.min_tokens = test.value("min_new_tokens", 0);
  request.end_tokens = tokens_of(test.at("end_tokens"));
  request.sampling.repetition_penalty = test.value("repetition_penalty", 1.0f);
  request.sampling.repeat_last_n = SamplingParameters::kWholeHistory;
  request.observer = &beams;
  return request;
}

json cases_of(const std::string& model) {
  std::ifstream file(std::string(CAIRN_SOURCE_DIR) + "/tests/cases/engine/beam_search.json");
  json chosen = json::array();
  for (const json& test : json::parse(file)) {
    if (test.at("model") == model) chosen.push_back(test);
  }
  return chosen;
}

void expect_equal(const Beams& beams, const json& test) {
  ASSERT_TRUE(beams.is_over);
  EXPECT_EQ(json(beams.tokens), test.at("sequences")) << test;
  for (std::size_t i = 0; i < beams.scores.size(); ++i) {
    EXPECT_NEAR(beams.scores[i], test.at("scores")[i].get<double>(), 2e-4) << test;
  }
}

class BeamsOf : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Engine, BeamsOf, testing::Values("tiny_llama", "llama", "qwen3", "gemma3"),
                         [](const auto& test) { return std::string(test.param); });

TEST_P(BeamsOf, AModelAreThoseOfTransformers) {
  const std::filesystem::path folder = folder_of(GetParam());
  if (folder.empty()) GTEST_SKIP() << "no ../shared/conformance/tiny_models/" << GetParam();
  Loaded loaded(folder, "reference");
  for (const json& test : cases_of(GetParam())) {
    Session session(loaded.model, small());
    Beams beams;
    session.submit(request_of(test, session, beams));
    session.run_until_idle();
    expect_equal(beams, test);
    EXPECT_EQ(session.check_integrity(), "");
    EXPECT_EQ(session.used_pages(), 0);
  }
}

TEST(Beams, AreTheSameInCompanyAndOnFewPages) {
  Loaded loaded(folder_of("tiny_llama"), "reference");
  const json cases = cases_of("tiny_llama");
  ASSERT_GE(cases.size(), 4u);
  for (const std::int64_t kv_tokens : {1024, 160, 96}) {
    for (const bool prefix_cache : {true, false}) {
      EngineOptions options = small();
      options.kv_tokens = kv_tokens;
      options.prefix_cache = prefix_cache;
      Session session(loaded.model, options);
      std::vector<Beams> beams(cases.size());
      for (std::size_t i = 0; i < cases.size(); ++i) {
        session.submit(request_of(cases[i], session, beams[i]));
        Request other = session.new_request(tokens_of(cases[i].at("prompt")));
        other.max_tokens = 9;
        other.sampling.seed = i;
        session.submit(std::move(other));
      }
      while (session.step()) ASSERT_EQ(session.check_integrity(), "");
      for (std::size_t i = 0; i < cases.size(); ++i) expect_equal(beams[i], cases[i]);
      EXPECT_EQ(session.used_pages(), 0);
    }
  }
}

TEST(Beams, ACancelledSearchFreesItsPagesAndSaysSoForEachChoice) {
  Loaded loaded(folder_of("tiny_llama"), "reference");
  Session session(loaded.model, small());
  const json test = cases_of("tiny_llama").front();
  for (int steps = 0; steps < 9; ++steps) {
    Beams beams;
    const RequestId id = session.submit(request_of(test, session, beams));
    for (int step = 0; step < steps; ++step) session.step();
    session.cancel(id);
    session.run_until_idle();
    EXPECT_TRUE(beams.is_over);
    EXPECT_EQ(beams.reasons, std::vector(4, schedule::FinishReason::cancelled)) << steps;
    EXPECT_EQ(session.used_pages(), 0);
    EXPECT_EQ(session.check_integrity(), "");
  }
}

TEST(Beams, WhatContradictsIsRefused) {
  Loaded loaded(folder_of("tiny_llama"), "reference");
  Session session(loaded.model, small());
  const json test = cases_of("tiny_llama").front();
  const auto refusal = [&](auto change) -> std::string {
    Beams beams;
    Request request = request_of(test, session, beams);
    change(request);
    try {
      session.cancel(session.submit(std::move(request)));
      session.run_until_idle();
    } catch (const Error& error) {
      return error.message();
    }
    return "accepted";
  };
  EXPECT_EQ(refusal([](Request&) {}), "accepted");
  EXPECT_NE(refusal([](Request& r) { r.beam_search->width = 7; }).find("found 7 beams"),
            std::string::npos);
  EXPECT_NE(refusal([](Request& r) { r.choice_count = 5; }).find("n: found 5"), std::string::npos);
  EXPECT_NE(refusal([](Request& r) { r.max_tokens = 0; }).find("max_tokens"), std::string::npos);
  EXPECT_NE(refusal([](Request& r) { r.logits_from = 0; }).find("beams"), std::string::npos);
}

}  // namespace
}  // namespace cairn::engine
