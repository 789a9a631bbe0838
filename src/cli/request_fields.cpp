#include "cli/request_fields.h"

#include <charconv>
#include <nlohmann/json.hpp>

#include "base/error.h"

namespace cairn::cli {
namespace {

using nlohmann::json;

constexpr std::int32_t kMostChoices = 128;

template <class Number>
struct SamplingField {
  const char* name;
  Number SamplingParameters::*value;
};

constexpr SamplingField<float> kNumbers[] = {
    {"temperature", &SamplingParameters::temperature},
    {"top_p", &SamplingParameters::top_p},
    {"min_p", &SamplingParameters::min_p},
    {"typical_p", &SamplingParameters::typical_p},
    {"top_n_sigma", &SamplingParameters::top_n_sigma},
    {"xtc_probability", &SamplingParameters::xtc_probability},
    {"xtc_threshold", &SamplingParameters::xtc_threshold},
    {"repetition_penalty", &SamplingParameters::repetition_penalty},
    {"frequency_penalty", &SamplingParameters::frequency_penalty},
    {"presence_penalty", &SamplingParameters::presence_penalty},
    {"dry_multiplier", &SamplingParameters::dry_multiplier},
    {"dry_base", &SamplingParameters::dry_base},
};

constexpr SamplingField<std::int32_t> kCounts[] = {
    {"top_k", &SamplingParameters::top_k},
    {"repeat_last_n", &SamplingParameters::repeat_last_n},
    {"dry_allowed_length", &SamplingParameters::dry_allowed_length},
    {"dry_penalty_last_n", &SamplingParameters::dry_penalty_last_n},
};

void read_stop(JsonFields& fields, std::vector<std::string>& stops) {
  constexpr std::string_view kName = "stop";
  const json* const stop = fields.take(kName);
  if (stop == nullptr) return;
  const auto add = [&](const json& text) {
    if (!text.is_string() || text.get_ref<const std::string&>().empty()) {
      fields.fail_type(kName, text, "a string that is not empty, or a list of such");
    }
    stops.push_back(text.get<std::string>());
  };
  if (!stop->is_array()) return add(*stop);
  for (const json& text : *stop) add(text);
}

void read_bias(JsonFields& fields, SamplingParameters& sampling) {
  constexpr std::string_view kName = "logit_bias";
  const json* const biases = fields.take(kName);
  if (biases == nullptr) return;
  constexpr std::string_view kExpected = "an object of token ids and numbers: {\"42\": -1.5}";
  if (!biases->is_object()) fields.fail_type(kName, *biases, kExpected);
  for (const auto& [key, bias] : biases->items()) {
    std::int32_t id = -1;
    const auto [rest, error] = std::from_chars(key.data(), key.data() + key.size(), id);
    const bool is_id = error == std::errc() && rest == key.data() + key.size();
    if (!is_id || !bias.is_number()) fields.fail_type(kName, *biases, kExpected);
    sampling.logit_bias.emplace_back(TokenId(id), bias.get<float>());
  }
}

/// OpenAI's completions count logprobs, its chats say yes and count top_logprobs.
void read_logprobs(JsonFields& fields, SamplingParameters& sampling) {
  constexpr std::string_view kName = "logprobs";
  std::int32_t tops = 0;
  const bool counted = fields.read("top_logprobs", tops);
  const json* const wanted = fields.take(kName);
  if (wanted == nullptr) {
    if (counted) {
      fail(ErrorKind::invalid_argument, "{}: needs {}", fields.path_of("top_logprobs"),
           fields.path_of(kName));
    }
    return;
  }
  if (wanted->is_boolean()) {
    if (wanted->get<bool>()) sampling.top_logprobs = tops;
    return;
  }
  if (counted || !fields.read(kName, tops)) {
    fields.fail_type(kName, *wanted, "true beside top_logprobs, or a number alone");
  }
  sampling.top_logprobs = tops;
}

/// transformers' words for a beam search.
void read_beams(JsonFields& fields, Request& request) {
  schedule::BeamSearchOptions beams;
  const bool is_wanted = fields.read("num_beams", beams.width) && beams.width != 1;
  fields.read("length_penalty", beams.length_penalty);
  constexpr std::string_view kName = "early_stopping";
  if (const json* const early = fields.take(kName)) {
    using schedule::EarlyStopping;
    const bool is_never = early->is_string() && *early == "never";
    if (!is_never && !early->is_boolean()) {
      fields.fail_type(kName, *early, "true, false or \"never\"");
    }
    beams.early_stopping = is_never             ? EarlyStopping::never
                           : early->get<bool>() ? EarlyStopping::yes
                                                : EarlyStopping::no;
  }
  if (is_wanted) request.beam_search = beams;
}

void read_max_tokens(JsonFields& fields, Request& request) {
  std::int32_t count = 0;
  for (const char* name : {"max_tokens", "max_completion_tokens"}) {
    if (!fields.read(name, count)) continue;
    if (count < 0) {
      fail(ErrorKind::invalid_argument, "{}: found {}, expected 0 or more", fields.path_of(name),
           count);
    }
    request.max_tokens = count;
  }
}

}  // namespace

std::vector<TokenId> read_token_ids(const JsonFields& fields, std::string_view name,
                                    const json& list) {
  std::vector<TokenId> tokens;
  if (!list.is_array()) fields.fail_type(name, list, "a list of token ids");
  for (const json& token : list) {
    const bool is_id = token.is_number_unsigned() && token.get<std::uint64_t>() <= INT32_MAX;
    if (!is_id) fields.fail_type(name, token, "a token id");
    tokens.emplace_back(token.get<std::int32_t>());
  }
  return tokens;
}

void read_request_fields(JsonFields& fields, Request& request, RequestTexts& texts) {
  SamplingParameters& sampling = request.sampling;
  for (const auto& field : kNumbers) fields.read(field.name, sampling.*field.value);
  for (const auto& field : kCounts) fields.read(field.name, sampling.*field.value);
  fields.read("ignore_eos", sampling.ignore_eos);
  read_bias(fields, sampling);
  read_logprobs(fields, sampling);
  if (fields.read("n", request.choice_count) &&
      (request.choice_count < 1 || request.choice_count > kMostChoices)) {
    fail(ErrorKind::invalid_argument, "{}: found {}, expected 1 to {}", fields.path_of("n"),
         request.choice_count, kMostChoices);
  }
  read_max_tokens(fields, request);
  read_beams(fields, request);
  fields.read("min_tokens", request.min_tokens);
  fields.read("priority", request.priority);
  if (const json* const stops = fields.take("stop_token_ids")) {
    request.stop_tokens = read_token_ids(fields, "stop_token_ids", *stops);
  }
  read_stop(fields, texts.stop_strings);
  fields.read("echo", texts.echo);
  fields.read("seed", sampling.seed);
}

}  // namespace cairn::cli
