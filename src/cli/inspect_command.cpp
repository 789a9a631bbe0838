#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/model_facts.h"
#include "cli/model_name.h"
#include "cli/model_options.h"
#include "cli/terminal.h"
#include "cli/text_table.h"
#include "cli/units.h"

namespace cairn::cli {
namespace {

using Json = nlohmann::ordered_json;

struct InspectOptions {
  ModelOptions model;
  bool tensors = false;
  bool metadata = false;
  bool chat_template = false;
  bool json = false;
};

constexpr std::size_t kShownItems = 8;    // of a long list
constexpr std::size_t kShownBytes = 200;  // of a long text

Json shape_of(const Shape& shape) {
  Json dimensions = Json::array();
  for (int axis = 0; axis < shape.rank(); ++axis) dimensions.push_back(shape[axis]);
  return dimensions;
}

std::string printed(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// Long lists are cut for people; --json has all of it.
Json value_of(const checkpoint::MetadataValue& value, std::size_t shown_items) {
  return std::visit(
      [&](const auto& stored) -> Json {
        using Stored = std::decay_t<decltype(stored)>;
        if constexpr (requires { typename Stored::value_type; } &&
                      !std::is_same_v<Stored, std::string>) {
          Json list = Json::array();
          for (std::size_t i = 0; i < std::min(stored.size(), shown_items); ++i) {
            list.push_back(typename Stored::value_type(stored[i]));
          }
          return list;
        } else {
          return stored;
        }
      },
      value);
}

std::size_t item_count(const checkpoint::MetadataValue& value) {
  return std::visit(
      [](const auto& stored) -> std::size_t {
        using Stored = std::decay_t<decltype(stored)>;
        if constexpr (requires { typename Stored::value_type; } &&
                      !std::is_same_v<Stored, std::string>) {
          return stored.size();
        } else {
          return 0;
        }
      },
      value);
}

void print_metadata(const checkpoint::Metadata& metadata) {
  for (const auto& [key, value] : metadata.values()) {
    std::string text = printed(value_of(value, kShownItems));
    const std::size_t items = item_count(value);
    if (items > kShownItems) text = fmt::format("{} items: {} ...", items, text);
    if (text.size() > kShownBytes) text = text.substr(0, kShownBytes) + "...";
    fmt::print("{} = {}\n", key, text);
  }
}

void print_tensors(const checkpoint::Checkpoint& checkpoint) {
  TextTable table({{"TENSOR"}, {"SHAPE"}, {"FORMAT"}, {"SIZE", TextTable::Align::right}});
  for (const checkpoint::NamedTensor& tensor : checkpoint.tensors()) {
    table.add_row({tensor.name, printed(shape_of(tensor.view.shape)), tensor.type,
                   bytes_text(static_cast<std::int64_t>(tensor.bytes.size()))});
  }
  fmt::print("{}", table.text());
}

void print_line(const char* label, const std::string& text) {
  if (!text.empty())
    fmt::print("{} {}\n", styled(stdout, Style::bold, fmt::format("{:13}", label)), text);
}

void print_facts(const ModelFacts& facts) {
  const models::ModelShape& shape = facts.shape;
  print_line("model", fmt::format("{}{}{}", facts.name.empty() ? "(no name)" : facts.name,
                                  facts.license.empty() ? "" : ", licence " + facts.license,
                                  ", from a " + facts.origin));
  print_line("architecture",
             fmt::format("{}: {} layers, width {}, vocabulary {}", shape.architecture, shape.layers,
                         shape.width, shape.vocabulary));
  print_line("parameters", count_text(shape.parameters));
  print_line("trained for", fmt::format("{} tokens of context", shape.context_length));
  for (const FormatShare& share : facts.formats) {
    print_line(&share == facts.formats.data() ? "formats" : "",
               fmt::format("{:8} {:4} tensors, {} ({:.0f} %)", share.name, share.tensors,
                           bytes_text(share.bytes),
                           100.0 * static_cast<double>(share.bytes) /
                               static_cast<double>(std::max<std::int64_t>(1, facts.tensor_bytes))));
  }
  print_line("memory", fmt::format("at {} tokens of context: {}", facts.memory.context_tokens,
                                   facts.memory_text));
  print_line("", fmt::format("{} of KV per token", bytes_text(facts.kv_bytes_per_token)));
  print_line("tokenizer", facts.tokenizer);
  print_line("chat template", facts.chat_template.empty()
                                  ? "none: a base model; 'run' continues the text"
                                  : fmt::format("{} bytes of Jinja; --template prints it",
                                                facts.chat_template.size()));
}

Json facts_json(const ModelFacts& facts) {
  Json formats = Json::array();
  for (const FormatShare& share : facts.formats) {
    formats.push_back({{"name", share.name}, {"tensors", share.tensors}, {"bytes", share.bytes}});
  }
  return {{"name", facts.name},
          {"license", facts.license},
          {"origin", facts.origin},
          {"architecture", facts.shape.architecture},
          {"layers", facts.shape.layers},
          {"width", facts.shape.width},
          {"vocabulary", facts.shape.vocabulary},
          {"context_length", facts.shape.context_length},
          {"parameters", facts.shape.parameters},
          {"tensor_count", facts.tensor_count},
          {"tensor_bytes", facts.tensor_bytes},
          {"formats", formats},
          {"kv_bytes_per_token", facts.kv_bytes_per_token},
          {"memory",
           {{"context_tokens", facts.memory.context_tokens},
            {"weight_bytes", facts.memory.weight_bytes},
            {"kv_bytes", facts.memory.kv_bytes},
            {"activation_bytes", facts.memory.activation_bytes},
            {"total_bytes", facts.memory.total_bytes()}}},
          {"tokenizer", facts.tokenizer},
          {"chat_template", facts.chat_template}};
}

void print_json(const InspectOptions& options, const checkpoint::Checkpoint& checkpoint,
                const ModelFacts& facts) {
  Json json = facts_json(facts);
  if (options.tensors) {
    json["tensors"] = Json::array();
    for (const checkpoint::NamedTensor& tensor : checkpoint.tensors()) {
      json["tensors"].push_back({{"name", tensor.name},
                                 {"format", tensor.type},
                                 {"shape", shape_of(tensor.view.shape)},
                                 {"bytes", tensor.bytes.size()}});
    }
  }
  if (options.metadata) {
    json["metadata"] = Json::object();
    for (const auto& [key, value] : checkpoint.metadata().values()) {
      json["metadata"][key] = value_of(value, SIZE_MAX);
    }
  }
  fmt::print("{}\n", json.dump(2, ' ', false, Json::error_handler_t::replace));
}

void run_inspect(const InspectOptions& options) {
  const auto checkpoint = checkpoint::open_checkpoint(resolve_model(options.model.model));
  // What the file holds can be shown for any architecture.
  if (!options.json && (options.tensors || options.metadata)) {
    if (options.metadata) print_metadata(checkpoint->metadata());
    if (options.tensors) print_tensors(*checkpoint);
    return;
  }
  const ModelFacts facts = collect_facts(*checkpoint, engine_options(options.model));
  if (options.chat_template) {
    fmt::print("{}\n", facts.chat_template);
  } else if (options.json) {
    print_json(options, *checkpoint, facts);
  } else {
    print_facts(facts);
  }
}

}  // namespace

void add_inspect_command(CLI::App& app) {
  auto options = std::make_shared<InspectOptions>();
  CLI::App* command = app.add_subcommand("inspect", "Show what a model is and what it needs");
  command->footer(
      "Examples:\n"
      "  cairn inspect smollm2\n"
      "  cairn inspect model.gguf --context 32768 --kv-type f32\n"
      "  cairn inspect model.gguf --tensors --metadata");
  add_model_argument(*command, options->model.model);
  add_context_option(*command, options->model);
  command
      ->add_option("--kv-type", options->model.kv_type,
                   "Plan for keys and values in f16, bf16 or f32")
      ->check(CLI::IsMember({"f16", "bf16", "f32"}));
  command->add_flag("--tensors", options->tensors, "List the tensors");
  command->add_flag("--metadata", options->metadata, "List the metadata");
  command->add_flag("--template", options->chat_template, "Print the chat template");
  add_json_option(*command, options->json);
  command->callback([options] { run_inspect(*options); });
}

}  // namespace cairn::cli
