#include "text/huggingface/bpe_options.h"

#include <utility>

namespace cairn::text::huggingface {

namespace {

constexpr std::size_t kLongestAffixBytes = 256;

std::string read_affix(const Field& block, std::string_view name) {
  const auto affix = block.find(name);
  if (!affix) return {};
  if (affix->text().size() > kLongestAffixBytes) affix->refuse("at most 256 bytes");
  return std::string(affix->text());
}

/// The two pieces of a merge: "left right", or ["left", "right"].
std::pair<std::string_view, std::string_view> read_merge(const Field& merge) {
  if (merge.kind() == JsonKind::array) {
    if (merge.size() != 2) merge.refuse("two pieces");
    auto item = merge.items().begin();
    const std::string_view left = (*item).text();
    ++item;
    return {left, (*item).text()};
  }
  const std::string_view text = merge.text();
  const std::size_t blank = text.find(' ');
  if (blank == std::string_view::npos || text.find(' ', blank + 1) != std::string_view::npos)
    merge.refuse("two pieces with a blank between");
  return {text.substr(0, blank), text.substr(blank + 1)};
}

}  // namespace

BpeOptions read_bpe_options(const Field& block, const PieceIndex& index) {
  BpeOptions options;
  const auto dropout = block.find("dropout");
  if (dropout && dropout->number() != 0)
    dropout->unsupported("drops merges at random; set it to null");
  if (const auto unknown = block.find("unk_token")) {
    options.unknown = index.find(unknown->text()).value_or(TokenId(-1));
    if (options.unknown == TokenId(-1)) unknown->refuse("a piece of model.vocab");
  }
  options.prefix = read_affix(block, "continuing_subword_prefix");
  options.suffix = read_affix(block, "end_of_word_suffix");
  options.fuse_unknown = block.boolean("fuse_unk", false);
  options.byte_fallback = block.boolean("byte_fallback", false);
  options.ignore_merges = block.boolean("ignore_merges", false);
  return options;
}

void read_merges(const Field& list, ModelPieces pieces, std::size_t prefix_bytes,
                 base::FunctionRef<void(const ReadMerge&)> add) {
  std::uint32_t rank = 0;
  std::string whole;
  for (const Field merge : list.items()) {
    const auto [left, right] = read_merge(merge);
    // The oldest files begin with a comment.
    if (rank == 0 && merge.kind() == JsonKind::string && left.starts_with("#version")) continue;
    if (left.empty() || right.empty()) merge.refuse("two pieces");
    if (right.size() < prefix_bytes) merge.refuse("a right piece that begins with the prefix");
    whole.assign(left).append(right.substr(prefix_bytes));
    const auto first = pieces.index.find(left);
    const auto second = pieces.index.find(right);
    const auto joined = pieces.index.find(whole);
    if (!first || !second || !joined) merge.refuse("pieces of model.vocab that join to one");
    if (pieces.text_index.find(whole))
      add(ReadMerge{left, right, *first, *second, {rank, *joined}});
    ++rank;
  }
}

}  // namespace cairn::text::huggingface
