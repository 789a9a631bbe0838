#include "text/builtin_templates.h"

#include <array>

namespace cairn::text {
namespace {

// Block tags swallow the newline behind them and the blanks before them, so that only what stands
// in {{ }} is printed.

constexpr std::string_view kChatml = R"({% for message in messages %}
{{ '<|im_start|>' + message.role + '\n' + message.content + '<|im_end|>\n' }}
{%- endfor %}
{% if add_generation_prompt %}
{{ '<|im_start|>assistant\n' }}
{%- endif %}
)";

// The system message stands within the first question.
constexpr std::string_view kLlama2 = R"({% set ns = namespace(system='') %}
{% set turns = messages %}
{% if messages and messages[0].role == 'system' %}
{% set ns.system = '<<SYS>>\n' + messages[0].content + '\n<</SYS>>\n\n' %}
{% set turns = messages[1:] %}
{% endif %}
{% for message in turns %}
{% if message.role != ['user', 'assistant'][loop.index0 % 2] %}
{{ raise_exception('user and assistant must take turns, the user first') }}
{% endif %}
{% if message.role == 'user' %}
{{ bos_token + '[INST] ' + ns.system + message.content.strip() + ' [/INST]' }}
{%- set ns.system = '' %}
{% else %}
{{ ' ' + message.content.strip() + ' ' + eos_token }}
{%- endif %}
{% endfor %}
)";

constexpr std::string_view kLlama3 = R"({{ bos_token }}
{%- for message in messages %}
{{ '<|start_header_id|>' + message.role + '<|end_header_id|>\n\n' }}
{{- message.content.strip() + '<|eot_id|>' }}
{%- endfor %}
{% if add_generation_prompt %}
{{ '<|start_header_id|>assistant<|end_header_id|>\n\n' }}
{%- endif %}
)";

// There is no system role: its text stands before the first question.
constexpr std::string_view kGemma = R"({{ bos_token }}
{%- set ns = namespace(system='') %}
{% set turns = messages %}
{% if messages and messages[0].role == 'system' %}
{% set ns.system = messages[0].content.strip() + '\n\n' %}
{% set turns = messages[1:] %}
{% endif %}
{% for message in turns %}
{% if message.role != ['user', 'assistant'][loop.index0 % 2] %}
{{ raise_exception('user and assistant must take turns, the user first') }}
{% endif %}
{% set role = 'model' if message.role == 'assistant' else 'user' %}
{{ '<start_of_turn>' + role + '\n' + ns.system + message.content.strip() + '<end_of_turn>\n' }}
{%- set ns.system = '' %}
{% endfor %}
{% if add_generation_prompt %}
{{ '<start_of_turn>model\n' }}
{%- endif %}
)";

// The system message stands before the first question.
constexpr std::string_view kMistral = R"({{ bos_token }}
{%- set ns = namespace(system='') %}
{% set turns = messages %}
{% if messages and messages[0].role == 'system' %}
{% set ns.system = messages[0].content + '\n\n' %}
{% set turns = messages[1:] %}
{% endif %}
{% for message in turns %}
{% if message.role != ['user', 'assistant'][loop.index0 % 2] %}
{{ raise_exception('user and assistant must take turns, the user first') }}
{% endif %}
{% if message.role == 'user' %}
{{ '[INST] ' + ns.system + message.content + '[/INST]' }}
{%- set ns.system = '' %}
{% else %}
{{ ' ' + message.content.strip() + eos_token }}
{%- endif %}
{% endfor %}
)";

constexpr std::string_view kPhi3 = R"({% for message in messages %}
{{ '<|' + message.role + '|>\n' + message.content + '<|end|>\n' }}
{%- endfor %}
{% if add_generation_prompt %}
{{ '<|assistant|>\n' }}
{%- endif %}
)";

constexpr std::string_view kDeepseek = R"({{ bos_token }}
{%- for message in messages %}
{% if message.role == 'system' %}
{{ message.content }}
{%- elif message.role == 'user' %}
{{ '<｜User｜>' + message.content }}
{%- else %}
{{ '<｜Assistant｜>' + message.content + eos_token }}
{%- endif %}
{% endfor %}
{% if add_generation_prompt %}
{{ '<｜Assistant｜>' }}
{%- endif %}
)";

constexpr std::array<BuiltinTemplate, 7> kTemplates = {{
    {"chatml", kChatml},
    {"llama2", kLlama2},
    {"llama3", kLlama3},
    {"gemma", kGemma},
    {"mistral", kMistral},
    {"phi3", kPhi3},
    {"deepseek", kDeepseek},
}};

}  // namespace

std::span<const BuiltinTemplate> builtin_templates() {
  return kTemplates;
}

}  // namespace cairn::text
