#include "cli/sampling_options.h"

#include <CLI/CLI.hpp>
#include <charconv>
#include <cmath>
#include <random>

#include "base/error.h"
#include "text/tokenizer.h"

namespace cairn::cli {
namespace {

template <class Value>
void add_change(CLI::App& command, SamplingOptions& options, const std::string& flags,
                Value SamplingParameters::*member, const std::string& help) {
  command
      .add_option_function<Value>(
          flags,
          [&options, member](const Value& value) {
            options.changes.push_back(
                [member, value](SamplingParameters& parameters) { parameters.*member = value; });
          },
          help)
      ->group("Sampling");
}

template <class Number>
bool parse_whole(std::string_view text, Number& number) {
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && rest == end && !text.empty();
}

std::pair<TokenId, float> parse_bias(const std::string& text, std::size_t vocabulary) {
  const std::size_t colon = text.find(':');
  std::int32_t id = -1;
  float bias = 0;
  const bool parsed = colon != std::string::npos &&
                      parse_whole(std::string_view(text).substr(0, colon), id) &&
                      parse_whole(std::string_view(text).substr(colon + 1), bias);
  if (!parsed || id < 0 || static_cast<std::size_t>(id) >= vocabulary || std::isnan(bias)) {
    fail(ErrorKind::invalid_argument,
         "--logit-bias {}: expected TOKEN:BIAS with a token id from 0 to {}, such as 42:-1.5", text,
         vocabulary - 1);
  }
  return {TokenId(id), bias};
}

std::uint64_t random_seed() {
  std::random_device device;
  return (std::uint64_t{device()} << 32) | device();
}

}  // namespace

void add_sampling_options(CLI::App& command, SamplingOptions& options) {
  using P = SamplingParameters;
  add_change(command, options, "-t,--temperature", &P::temperature,
             "0: always the likeliest token");
  add_change(command, options, "--top-k", &P::top_k, "Keep the k likeliest; 0: all");
  add_change(command, options, "--top-p", &P::top_p, "Keep the likeliest that sum to p; 1: all");
  add_change(command, options, "--min-p", &P::min_p, "Keep those above p times the likeliest");
  add_change(command, options, "--typical-p", &P::typical_p, "Locally typical sampling; 1: off");
  add_change(command, options, "--top-n-sigma", &P::top_n_sigma,
             "Keep those within n standard deviations of the best logit; 0: off");
  add_change(command, options, "--xtc-probability", &P::xtc_probability,
             "Chance to drop the likeliest tokens; 0: off");
  add_change(command, options, "--xtc-threshold", &P::xtc_threshold,
             "Probability from which XTC drops");
  add_change(command, options, "--repeat-last-n", &P::repeat_last_n,
             "Tokens that the three penalties look back on; -1: all, 0: off");
  add_change(command, options, "--repetition-penalty", &P::repetition_penalty, "1: off");
  add_change(command, options, "--frequency-penalty", &P::frequency_penalty, "Per occurrence");
  add_change(command, options, "--presence-penalty", &P::presence_penalty, "Once per token");
  add_change(command, options, "--dry-multiplier", &P::dry_multiplier,
             "Strength of the penalty on repeated sequences (DRY); 0: off");
  add_change(command, options, "--dry-base", &P::dry_base, "Base of DRY's growth");
  add_change(command, options, "--dry-allowed-length", &P::dry_allowed_length,
             "Longest repetition that DRY lets pass");
  add_change(command, options, "--dry-penalty-last-n", &P::dry_penalty_last_n,
             "Tokens that DRY looks back on; -1: all");
  command
      .add_option_function<std::uint64_t>(
          "-s,--seed",
          [&options](const std::uint64_t& seed) {
            options.seed_given = true;
            options.changes.push_back([seed](P& parameters) { parameters.seed = seed; });
          },
          "Same seed, same text [random]")
      ->group("Sampling");
  command
      .add_flag_function(
          "--ignore-eos",
          [&options](std::int64_t) {
            options.changes.push_back([](P& parameters) { parameters.ignore_eos = true; });
          },
          "Go on when the model would end")
      ->group("Sampling");
  command
      .add_option("--logit-bias", options.logit_bias,
                  "TOKEN:BIAS, added to a token's logit; repeatable")
      ->group("Sampling");
  command.add_option("--stop", options.stop_strings, "Text that ends the answer; repeatable")
      ->group("Sampling");
}

SamplingParameters sampling_parameters(const SamplingParameters& defaults,
                                       const SamplingOptions& options,
                                       const text::Tokenizer& tokenizer) {
  SamplingParameters parameters = defaults;
  if (!options.seed_given) parameters.seed = random_seed();
  for (const auto& change : options.changes) change(parameters);
  for (const std::string& bias : options.logit_bias) {
    parameters.logit_bias.push_back(parse_bias(bias, tokenizer.vocabulary().pieces.size()));
  }
  for (const std::string& stop : options.stop_strings) {
    if (stop.empty()) fail(ErrorKind::invalid_argument, "--stop: the text is empty");
  }
  return parameters;
}

}  // namespace cairn::cli
