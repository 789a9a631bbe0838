#include "text/huggingface/vocabulary_reader.h"

#include <algorithm>
#include <optional>
#include <string>

#include "base/error.h"

namespace cairn::text::huggingface {

namespace {

constexpr std::size_t kLongestPieceBytes = 64 * 1024;
constexpr std::uint32_t kMostTokens = 1U << 24;

/// Numbers may leave holes, but not so many that a small file takes much memory.
std::uint32_t highest_token(std::size_t piece_count) {
  return static_cast<std::uint32_t>(std::min<std::size_t>(4 * piece_count + 65536, kMostTokens));
}

void set_piece(Vocabulary& vocabulary, std::size_t token, std::string_view piece, TokenKind kind) {
  if (token >= vocabulary.pieces.size()) {
    vocabulary.pieces.resize(token + 1);
    vocabulary.kinds.resize(token + 1, TokenKind::unused);
  }
  vocabulary.pieces[token] = piece;
  vocabulary.kinds[token] = kind;
}

bool is_byte_piece(std::string_view piece) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  return piece.size() == 6 && piece.starts_with("<0x") && piece[5] == '>' &&
         digits.find(piece[3]) != std::string_view::npos &&
         digits.find(piece[4]) != std::string_view::npos;
}

/// {"piece": token, ...}
void read_map(const Field& vocab, bool has_bytes, Vocabulary& vocabulary) {
  const std::uint32_t highest = highest_token(vocab.size());
  for (const Field entry : vocab.members()) {
    const std::uint32_t token = entry.count(highest);
    const std::string_view piece = entry.name();
    if (piece.size() > kLongestPieceBytes) entry.refuse("a piece of at most 65536 bytes");
    const bool taken =
        token < vocabulary.kinds.size() && vocabulary.kinds[token] != TokenKind::unused;
    if (taken && vocabulary.pieces[token] != piece) entry.refuse("a number of its own");
    set_piece(vocabulary, token, piece,
              has_bytes && is_byte_piece(piece) ? TokenKind::byte : TokenKind::normal);
  }
}

/// [["piece", score], ...]
void read_list(const Field& vocab, bool has_bytes, Vocabulary& vocabulary) {
  for (const Field entry : vocab.items()) {
    if (entry.kind() != JsonKind::array || entry.size() != 2) entry.refuse("a piece and its score");
    const Field piece = *entry.items().begin();
    if (piece.text().size() > kLongestPieceBytes) piece.refuse("at most 65536 bytes");
    if (vocabulary.pieces.size() == kMostTokens) vocab.refuse("at most 16777216 pieces");
    set_piece(vocabulary, vocabulary.pieces.size(), piece.text(),
              has_bytes && is_byte_piece(piece.text()) ? TokenKind::byte : TokenKind::normal);
  }
}

std::optional<TokenId> find_content(const std::vector<AddedToken>& added,
                                    const Vocabulary& vocabulary, std::string_view content) {
  if (content.empty()) return std::nullopt;
  for (const AddedToken& token : added)
    if (token.content == content) return token.token;
  const auto found = std::find(vocabulary.pieces.begin(), vocabulary.pieces.end(), content);
  if (found == vocabulary.pieces.end()) return std::nullopt;
  return TokenId(static_cast<std::int32_t>(found - vocabulary.pieces.begin()));
}

std::string_view name_of(ModelKind kind) {
  switch (kind) {
    case ModelKind::bpe:
      return "tokenizer.json BPE";
    case ModelKind::unigram:
      return "tokenizer.json Unigram";
    case ModelKind::word_piece:
      return "tokenizer.json WordPiece";
    case ModelKind::word_level:
      return "tokenizer.json WordLevel";
  }
  return "";
}

}  // namespace

ModelKind read_model_kind(const Field& model) {
  const auto type = model.find("type");
  if (!type) {
    if (model.find("merges")) return ModelKind::bpe;
    if (model.at("vocab").kind() == JsonKind::array) return ModelKind::unigram;
    return model.find("max_input_chars_per_word") ? ModelKind::word_piece : ModelKind::word_level;
  }
  if (type->text() == "BPE") return ModelKind::bpe;
  if (type->text() == "Unigram") return ModelKind::unigram;
  if (type->text() == "WordPiece") return ModelKind::word_piece;
  if (type->text() == "WordLevel") return ModelKind::word_level;
  type->unsupported("is no model that cairn knows");
}

void read_model_pieces(const Field& model, ModelKind kind, Vocabulary& vocabulary) {
  vocabulary.model = name_of(kind);
  vocabulary.add_space_prefix = false;
  const Field vocab = model.at("vocab");
  const bool has_bytes = model.boolean("byte_fallback", false);
  if (kind == ModelKind::unigram)
    read_list(vocab, has_bytes, vocabulary);
  else
    read_map(vocab, has_bytes, vocabulary);
  if (vocabulary.pieces.empty()) vocab.refuse("at least one piece");
}

void place_added_tokens(const Field& list, std::vector<AddedToken>& added, Vocabulary& vocabulary) {
  PieceIndex model_index(vocabulary.pieces.size());
  std::size_t model_count = 0;
  for (std::size_t i = 0; i < vocabulary.pieces.size(); ++i) {
    if (vocabulary.kinds[i] == TokenKind::unused) continue;
    ++model_count;
    model_index.insert(vocabulary.pieces[i], TokenId(static_cast<std::int32_t>(i)));
  }
  PieceIndex seen(added.size());
  std::size_t next = model_count;  // where the model has holes, not what stands in the file
  auto entry = list.items().begin();
  for (AddedToken& token : added) {
    const Field field = *entry;
    ++entry;
    if (token.content.empty()) continue;
    if (const auto again = seen.find(token.content)) {
      token.token = *again;
      continue;
    }
    if (const auto known = model_index.find(token.content)) {
      token.token = *known;
    } else {
      const bool taken =
          next < vocabulary.kinds.size() && vocabulary.kinds[next] != TokenKind::unused;
      if (taken) next = field.at("id").count(highest_token(model_count + added.size()));
      token.token = TokenId(static_cast<std::int32_t>(next++));
    }
    seen.insert(token.content, token.token);
  }
  // The last of equal ones counts; the index borrows the pieces until here.
  for (const AddedToken& token : added) {
    if (token.token.value < 0) continue;
    const TokenKind kind = token.special ? TokenKind::control : TokenKind::user_defined;
    set_piece(vocabulary, static_cast<std::size_t>(token.token.value), token.content, kind);
  }
  std::erase_if(added, [](const AddedToken& token) { return token.token.value < 0; });
}

void fill_special_tokens(const TokenizerConfig& config, const Field& model,
                         const std::vector<AddedToken>& added, Vocabulary& vocabulary) {
  const auto find = [&](std::string_view content) {
    return find_content(added, vocabulary, content);
  };
  vocabulary.bos = find(config.bos);
  vocabulary.eos = find(config.eos);
  vocabulary.padding = find(config.padding);
  const auto unknown = model.find("unk_token");
  vocabulary.unknown = find(unknown ? unknown->text() : std::string_view(config.unknown));
  const auto last = static_cast<std::uint32_t>(vocabulary.kinds.size() - 1);
  if (const auto id = model.find("unk_id"))
    vocabulary.unknown = TokenId(static_cast<std::int32_t>(id->count(last)));
  if (vocabulary.unknown) {
    TokenKind& kind = vocabulary.kinds[static_cast<std::size_t>(vocabulary.unknown->value)];
    if (kind == TokenKind::normal) kind = TokenKind::unknown;
  }
  vocabulary.chat_template = config.chat_template;
  vocabulary.chat_templates = config.chat_templates;
}

std::unique_ptr<PieceIndex> index_model_pieces(const Field& model, ModelKind kind,
                                               const Vocabulary& vocabulary, bool with_control) {
  auto index = std::make_unique<PieceIndex>(vocabulary.pieces.size());
  const Field vocab = model.at("vocab");
  std::size_t position = 0;
  const auto children = kind == ModelKind::unigram ? vocab.items() : vocab.members();
  // Later ones count: they are met first.
  std::vector<std::size_t> tokens;
  for (const Field entry : children) {
    tokens.push_back(kind == ModelKind::unigram ? position : entry.count(kMostTokens));
    ++position;
  }
  std::reverse(tokens.begin(), tokens.end());
  for (const std::size_t token : tokens)
    if (with_control || vocabulary.kinds[token] != TokenKind::control)
      index->insert(vocabulary.pieces[token], TokenId(static_cast<std::int32_t>(token)));
  return index;
}

}  // namespace cairn::text::huggingface
