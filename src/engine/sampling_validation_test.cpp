#include "engine/sampling_validation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <string>

#include "base/error.h"

namespace cairn::engine {
namespace {

std::string complaint_about(const std::function<void(SamplingParameters&)>& change) {
  SamplingParameters parameters;
  change(parameters);
  try {
    validate(parameters, 100);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::invalid_argument);
    return error.message();
  }
  return "";
}

TEST(SamplingValidation, DefaultsAndCornersAreFine) {
  EXPECT_EQ(complaint_about([](auto&) {}), "");
  EXPECT_EQ(complaint_about([](auto& p) {
              p.temperature = 0.0f;
              p.top_k = -1;
              p.top_p = 0.0f;
              p.min_p = 1.0f;
              p.repeat_last_n = -1;
              p.logit_bias = {{TokenId(99), -std::numeric_limits<float>::infinity()}};
              p.top_logprobs = 100;
            }),
            "");
}

TEST(SamplingValidation, NamesFieldValueAndRange) {
  EXPECT_EQ(complaint_about([](auto& p) { p.top_p = 1.5f; }), "top_p is 1.5; expected 0 to 1");
  EXPECT_EQ(complaint_about([](auto& p) { p.temperature = NAN; }),
            "temperature is nan; expected 0 to 100");
  EXPECT_EQ(complaint_about([](auto& p) { p.temperature = -1.0f; }),
            "temperature is -1; expected 0 to 100");
  EXPECT_EQ(complaint_about([](auto& p) { p.top_logprobs = 101; }),
            "top_logprobs is 101; expected -1 to 100");
}

TEST(SamplingValidation, RefusesWhatIsOutOfRange) {
  using testing::HasSubstr;
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_THAT(complaint_about([=](auto& p) { p.min_p = infinity; }), HasSubstr("min_p"));
  EXPECT_THAT(complaint_about([](auto& p) { p.repetition_penalty = 0.0f; }),
              HasSubstr("repetition_penalty"));
  EXPECT_THAT(complaint_about([](auto& p) { p.frequency_penalty = 1e9f; }),
              HasSubstr("frequency_penalty"));
  EXPECT_THAT(complaint_about([](auto& p) { p.dry_base = 0.5f; }), HasSubstr("dry_base"));
  EXPECT_THAT(complaint_about([](auto& p) { p.dry_allowed_length = 0; }),
              HasSubstr("dry_allowed_length"));
  EXPECT_THAT(complaint_about([](auto& p) { p.repeat_last_n = -2; }), HasSubstr("repeat_last_n"));
  EXPECT_THAT(complaint_about([](auto& p) {
                p.logit_bias = {{TokenId(100), 0.0f}};
              }),
              HasSubstr("token 100; expected 0 to 99"));
  EXPECT_THAT(complaint_about([=](auto& p) {
                p.logit_bias = {{TokenId(1), infinity}};
              }),
              HasSubstr("logit_bias of token 1 is inf"));
  EXPECT_THAT(complaint_about([](auto& p) { p.dry_breakers = {""}; }), HasSubstr("dry_breakers"));
}

}  // namespace
}  // namespace cairn::engine
