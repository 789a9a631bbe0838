// Patterns are the models' own, from their published tokenizer definitions: they decide what the
// model saw in training, so none may be simplified beyond what gives the same pieces.

#include "text/pre_tokenizer.h"

namespace cairn::text {

namespace {

#define CONTRACTION R"((?i:'s|'t|'re|'ve|'m|'ll|'d))"
#define WORD R"([^\r\n\p{L}\p{N}]?\p{L}+)"
#define SYMBOLS R"( ?[^\s\p{L}\p{N}]+[\r\n]*)"
#define LINES_AND_SPACES R"(\s*[\r\n]+|\s+(?!\S)|\s+)"

#define GPT2 R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)"
#define LLAMA3 CONTRACTION "|" WORD R"(|\p{N}{1,3}|)" SYMBOLS "|" LINES_AND_SPACES
#define QWEN2 CONTRACTION "|" WORD R"(|\p{N}|)" SYMBOLS "|" LINES_AND_SPACES

// A word with its capitals in front: "fooBar" is "foo" and "Bar".
#define UPPER R"([\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}])"
#define LOWER R"([\p{Ll}\p{Lm}\p{Lo}\p{M}])"
#define CASED_WORD(suffix)                           \
  R"([^\r\n\p{L}\p{N}]?)" UPPER "*" LOWER "+" suffix \
  "|"                                                \
  R"([^\r\n\p{L}\p{N}]?)" UPPER "+" LOWER "*" suffix
#define CASED_SYMBOLS R"( ?[^\s\p{L}\p{N}]+[\r\n/]*)"
#define GPT4O CASED_WORD(CONTRACTION "?") R"(|\p{N}{1,3}|)" CASED_SYMBOLS "|" LINES_AND_SPACES

// The same with what is of the script Han left out of both classes: the complement of their
// complements.
#define NOT_HAN_UPPER R"([^\p{Ll}\p{N}\p{P}\p{S}\p{Z}\p{C}\p{sc:Han}])"
#define NOT_HAN_LOWER R"([^\p{Lu}\p{Lt}\p{N}\p{P}\p{S}\p{Z}\p{C}\p{sc:Han}])"
#define KIMI_WORD                                                         \
  R"([^\r\n\p{L}\p{N}]?)" NOT_HAN_UPPER "*" NOT_HAN_LOWER "+" CONTRACTION \
  R"(?|[^\r\n\p{L}\p{N}]?)" NOT_HAN_UPPER "+" NOT_HAN_LOWER "*" CONTRACTION "?"

// A run of `digit` in threes from its right end, if `end` follows it: the first match settles the
// rest of the run. The published "{1,3}(?=({3})*...)" looks to the end of the run from each place.
#define THREES_FROM_THE_RIGHT(digit, end) \
  "(?<!" digit ")" digit "{1,3}(?=(?:" digit "{3})*+" end ")|\\G(?<=" digit ")" digit "{3}"
// What ends a word that ends in a digit.
#define WORD_END R"((?![\p{L}\p{M}\p{N}\p{Pc}\x{24B6}-\x{24E9}]))"

// White space in powers of two. On pieces that are nothing else: the published alternatives stand
// within one pattern, where each of these steps would look for a newline through the whole run.
#define SPACES_BY_POWERS                        \
  R"((?:\A(?=(?:(?![\r\n])\s)++\z)|\G(?<=\s)))" \
  R"((?:\s{512}|\s{256}|\s{128}|\s{64}|\s{32}|\s{16}|\s{8}|\s{4}|\s{1,2}))"

#define ASCII_SYMBOL_AND_WORD R"([!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+)"
#define MARKED_WORD R"([^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+)"
#define HAN_AND_KANA R"([\x{4E00}-\x{9FA5}\x{3040}-\x{30FF}]+)"
#define EAST_ASIAN R"([\x{4E00}-\x{9FA5}\x{800}-\x{4E00}\x{AC00}-\x{D7FF}]+)"
#define BLOOM R"( ?[^(\s|.,!?\x{2026}\x{3002}\x{FF0C}\x{3001}\x{964}\x{6D4}\x{60C})]+)"

// The letters that had a case in the Unicode of the model's day.
#define CASED_LETTERS                                                         \
  R"(A-Za-z\x{B5}\x{C0}-\x{D6}\x{D8}-\x{F6}\x{F8}-\x{1BA}\x{1BC}-\x{1BF})"    \
  R"(\x{1C4}-\x{293}\x{295}-\x{2AF}\x{370}-\x{373}\x{376}\x{377})"            \
  R"(\x{37B}-\x{37D}\x{37F}\x{386}\x{388}-\x{38A}\x{38C}\x{38E}-\x{3A1})"     \
  R"(\x{3A3}-\x{3F5}\x{3F7}-\x{481}\x{48A}-\x{52F}\x{531}-\x{556})"           \
  R"(\x{10A0}-\x{10C5}\x{13A0}-\x{13F5}\x{13F8}-\x{13FD}\x{1C90}-\x{1CBA})"   \
  R"(\x{1CBD}-\x{1CBF}\x{1D00}-\x{1D2B}\x{1D6B}-\x{1D77}\x{1D79}-\x{1D9A})"   \
  R"(\x{1E00}-\x{1F15}\x{1F18}-\x{1F1D}\x{1F20}-\x{1F45}\x{1F48}-\x{1F4D})"   \
  R"(\x{1F50}-\x{1F57}\x{1F59}\x{1F5B}\x{1F5D}\x{1F5F}-\x{1F7D})"             \
  R"(\x{1F80}-\x{1FB4}\x{1FB6}-\x{1FBC}\x{1FBE}\x{1FC2}-\x{1FC4})"            \
  R"(\x{1FC6}-\x{1FCC}\x{1FD0}-\x{1FD3}\x{1FD6}-\x{1FDB}\x{1FE0}-\x{1FEC})"   \
  R"(\x{1FF2}-\x{1FF4}\x{1FF6}-\x{1FFC}\x{2102}\x{2107}\x{210A}-\x{2113})"    \
  R"(\x{2115}\x{2119}-\x{211D}\x{2124}\x{2126}\x{2128}\x{212A}-\x{212D})"     \
  R"(\x{212F}-\x{2134}\x{2139}\x{213C}-\x{213F}\x{2145}-\x{2149}\x{214E})"    \
  R"(\x{2183}\x{2184}\x{2C00}-\x{2C7B}\x{2C7E}-\x{2CE4}\x{2CEB}-\x{2CEE})"    \
  R"(\x{2CF2}\x{2CF3}\x{A640}-\x{A66D}\x{A680}-\x{A69B}\x{A722}-\x{A76F})"    \
  R"(\x{A771}-\x{A787}\x{A78B}-\x{A78E}\x{AB70}-\x{ABBF}\x{FB00}-\x{FB06})"   \
  R"(\x{FB13}-\x{FB17}\x{FF21}-\x{FF3A}\x{FF41}-\x{FF5A}\x{10400}-\x{1044F})" \
  R"(\x{104B0}-\x{104D3}\x{104D8}-\x{104FB}\x{10C80}-\x{10CB2})"              \
  R"(\x{10CC0}-\x{10CF2}\x{118A0}-\x{118DF}\x{1E900}-\x{1E943})"

constexpr std::array kTable{
    // What files without a name, or with "default", were converted for.
    PreTokenizerRules{
        .names = "default",
        .patterns = {R"([\p{P}\$\+<=>\^~\|]+)", GPT2, R"(\p{N}+)", "[0-9][0-9][0-9]"}},
    PreTokenizerRules{
        .names = "gpt-2 phi-2 jina-es jina-de jina-v1-en jina-v2-es jina-v2-de jina-v2-code "
                 "roberta-bpe gigachat a.x-4.0 mellum exaone4 jais trillion granite-docling",
        .patterns = {GPT2}},
    PreTokenizerRules{.names = "mpt olmo modern-bert", .patterns = {GPT2}, .compose = true},
    PreTokenizerRules{.names = "smollm starcoder refact codeshell exaone minerva-7b mellum2",
                      .patterns = {R"(\p{N})", GPT2}},
    PreTokenizerRules{.names = "command-r", .patterns = {R"(\p{N})", GPT2}, .compose = true},
    PreTokenizerRules{.names = "llama-bpe llama3 llama-v3 falcon3 falcon-h1 pixtral midm-2.0 lfm2 "
                               "jina-v5-nano",
                      .patterns = {LLAMA3},
                      .ignore_merges = true,
                      .add_bos = true},
    PreTokenizerRules{.names = "dbrx smaug-bpe glm4 chatglm-bpe", .patterns = {LLAMA3}},
    PreTokenizerRules{.names = "qwen2 deepseek-r1-qwen kormo f2llmv2 megrez",
                      .patterns = {QWEN2},
                      .compose = true},
    // Turkish: what follows an apostrophe stays with its word's rules.
    PreTokenizerRules{.names = "ufakzeka",
                      .patterns = {WORD R"(|\p{N}|)" SYMBOLS "|" LINES_AND_SPACES}},
    PreTokenizerRules{.names = "jais-2", .patterns = {LLAMA3, SPACES_BY_POWERS}},
    PreTokenizerRules{.names = "stablelm2 hunyuan solar-open grok-2", .patterns = {QWEN2}},
    PreTokenizerRules{
        .names = "qwen35",
        .patterns = {CONTRACTION R"(|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N})"
                                 R"(| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|)" LINES_AND_SPACES},
        .compose = true},
    PreTokenizerRules{.names = "gpt-4o llama4 kanana2 talkie minimax-m2", .patterns = {GPT4O}},
    PreTokenizerRules{
        .names = "granite-embed-multi-97m", .patterns = {GPT4O}, .ignore_merges = true},
    PreTokenizerRules{.names = "tiny_aya cohere2moe",
                      .patterns = {THREES_FROM_THE_RIGHT("\\d", WORD_END), GPT4O},
                      .compose = true},
    PreTokenizerRules{
        .names = "kimi-k2",
        .patterns = {R"(\p{sc:Han}+|)" KIMI_WORD R"(|\p{N}{1,3}|)" SYMBOLS "|" LINES_AND_SPACES}},
    // Pieces may hold several words, so only numbers are cut: before every third digit from the
    // right. Other numerals stay with what stands before them, as do the first digits of a run.
    PreTokenizerRules{
        .names = "superbpe",
        .patterns = {R"(\p{N}+)", R"((?:(?<!\d)\d{0,2}\K\d{3}(?=(?:\d{3})*+(?!\d))|\G(?<=\d)\d{3}))"
                                  R"((?:\D++(?:\d{1,2}(?!\d)\D++)*+)"
                                  R"((?:\d{1,2}(?=(?:\d{3})*+(?!\d)))?)?)"}},
    PreTokenizerRules{.names = "tekken",
                      .patterns = {CASED_WORD("") R"(|\p{N}|)" CASED_SYMBOLS "|" LINES_AND_SPACES},
                      .ignore_merges = true,
                      .add_bos = true},
    // The published "\s+$" would try every white space of a run that goes on: equal pieces.
    PreTokenizerRules{.names = "deepseek-llm",
                      .patterns = {R"([\r\n])", R"(\s?[)" CASED_LETTERS "]+",
                                   R"(\s?[!-/:-~\x{FF01}-\x{FF0F}\x{FF1A}-\x{FF5E})"
                                   R"(\x{2018}-\x{201F}\x{3000}-\x{3002}]+)",
                                   R"((?<!\s)\s++$)", EAST_ASIAN, R"(\p{N}+)"}},
    PreTokenizerRules{
        .names = "deepseek-coder",
        .patterns = {R"([\r\n])", R"(\s?\p{L}+)", R"(\s?\p{P}+)", EAST_ASIAN, R"(\p{N})"}},
    PreTokenizerRules{.names = "deepseek-v3 hunyuan-dense joyai-llm hy_v4",
                      .patterns = {R"(\p{N}{1,3})", HAN_AND_KANA,
                                   ASCII_SYMBOL_AND_WORD
                                   "|" MARKED_WORD R"(| ?[\p{P}\p{S}]+[\r\n]*|)" LINES_AND_SPACES}},
    PreTokenizerRules{
        .names = "afmoe",
        .patterns = {THREES_FROM_THE_RIGHT("\\p{N}", "(?!\\p{N})"),
                     R"([\x{4E00}-\x{9FFF}\x{3400}-\x{4DBF}\x{F900}-\x{FAFF}\x{3040}-\x{30FF})"
                     R"(\x{FF65}-\x{FF9F}\x{2F00}-\x{2FDF}\x{E40}-\x{E7F}\x{E80}-\x{EFF})"
                     R"(\x{1780}-\x{17FF}\x{1000}-\x{109F}\x{AA60}-\x{AA7F}\x{A9E0}-\x{A9FF})"
                     R"(\x{AC00}-\x{D7AF}\x{1100}-\x{11FF}]+)",
                     ASCII_SYMBOL_AND_WORD "|" MARKED_WORD
                                           R"(| ?[\p{P}\p{S}]+[\r\n]*|)" LINES_AND_SPACES}},
    PreTokenizerRules{.names = "spark2_5",
                      .patterns = {R"(\p{N}{1,3})", HAN_AND_KANA,
                                   ASCII_SYMBOL_AND_WORD "|" MARKED_WORD
                                                         R"(| ?[\p{P}\p{S}]+|[\r\n]|\s+(?!\S)|\s+)",
                                   R"(\p{N})"}},
    PreTokenizerRules{.names = "falcon",
                      .patterns = {R"([\p{P}\$\+<=>\^~\|`]+)", GPT2, "[0-9][0-9][0-9]"}},
    PreTokenizerRules{.names = "bloom poro-chat gpt3-finnish", .patterns = {BLOOM}},
    PreTokenizerRules{.names = "viking", .patterns = {BLOOM, R"(\p{N})"}},
    PreTokenizerRules{.names = "chameleon",
                      .patterns = {"<sentinel:[0-9]+>", "IMGIMG[A-I]{1,4}Z", R"([\t\n]|    |  )",
                                   R"(\p{N})", R"([\p{P}!-/:-@\[-`{-~])", GPT2},
                      .add_bos = true},
    PreTokenizerRules{.names = "bailingmoe bailingmoe2 llada-moe",
                      .patterns = {R"('(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N})"
                                   R"(| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+)"}},
    PreTokenizerRules{
        .names = "seed-coder",
        .patterns = {CONTRACTION "|" WORD R"(|\p{N}| ?[^\s\p{L}\p{N}\r\n]+|)" LINES_AND_SPACES}},
    // Possessive where the published pattern nests two repetitions: equal pieces, linear time.
    PreTokenizerRules{
        .names = "exaone-moe",
        .patterns = {CONTRACTION R"(|[^\r\n\p{L}\p{N}]?\p{L}\p{M}*+(?: ?\p{L}\p{M}*+)*+|\p{N})"
                                 R"(| ?[^\s\p{L}\p{N}]+[\r\n/]?|\s*[\r\n]|\s+(?!\S)|\s+)"}},
    PreTokenizerRules{.names = "minicpm5",
                      .patterns = {R"(\p{N}{1,3})",
                                   CONTRACTION "|" WORD R"(|\p{N}+|)" SYMBOLS "|" LINES_AND_SPACES},
                      .ignore_merges = true},
    PreTokenizerRules{.names = "laguna", .patterns = {R"([^\n]+|\n+)", QWEN2}},
    PreTokenizerRules{
        .names = "youtu",
        .patterns = {R"([\x{AC00}-\x{D7A3}\x{3131}-\x{318E}]+)"
                     R"(|[\x{FF01}\x{2026}\x{201C}\x{201D}\x{2018}\x{2019}\x{2014})"
                     R"(\x{FF1A}\x{FF1B}\x{FF0C}\x{3001}-\x{303F}\x{FE30}-\x{FE4F}]+)"
                     R"(|[\x{3105}-\x{312F}]+|)" HAN_AND_KANA,
                     CASED_WORD(CONTRACTION "?") R"(|\p{N}|)" CASED_SYMBOLS "|" LINES_AND_SPACES},
        .ignore_merges = true},
};

}  // namespace

std::span<const PreTokenizerRules> pre_tokenizers() {
  return kTable;
}

}  // namespace cairn::text
