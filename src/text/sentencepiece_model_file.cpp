#include "text/sentencepiece_model_file.h"

#include <limits>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/mapped_file.h"
#include "text/piece_index.h"
#include "text/protobuf_reader.h"
#include "text/sentencepiece_tokenizer.h"

namespace cairn::text {

namespace {

/// Numbers of the fields that are read, by message.
namespace model_field {
constexpr std::uint32_t kPiece = 1;
constexpr std::uint32_t kTrainer = 2;
constexpr std::uint32_t kNormalizer = 3;
constexpr std::uint32_t kDenormalizer = 5;
}  // namespace model_field
namespace piece_field {
constexpr std::uint32_t kPiece = 1;
constexpr std::uint32_t kScore = 2;
constexpr std::uint32_t kType = 3;
}  // namespace piece_field
namespace trainer_field {
constexpr std::uint32_t kModelType = 3;
constexpr std::uint32_t kSpaceSuffix = 24;
constexpr std::uint32_t kByteFallback = 35;
constexpr std::uint32_t kUnknownSurface = 44;
constexpr std::uint32_t kBosPiece = 46;
constexpr std::uint32_t kEosPiece = 47;
constexpr std::uint32_t kPaddingPiece = 48;
}  // namespace trainer_field
namespace normalizer_field {
constexpr std::uint32_t kPrecompiledMap = 2;
constexpr std::uint32_t kAddDummyPrefix = 3;
constexpr std::uint32_t kRemoveExtraSpaces = 4;
constexpr std::uint32_t kEscapeSpaces = 5;
}  // namespace normalizer_field

/// Fills a vocabulary from the messages of one file.
class Reader {
 public:
  explicit Reader(std::string_view name) : name_(name) {
    vocabulary_.model = kUnigramModel;
    vocabulary_.sentence_piece.remove_extra_spaces = true;
    vocabulary_.sentence_piece.unknown_text = " \xE2\x81\x87 ";  // U+2047
  }

  std::shared_ptr<const Vocabulary> read(std::string_view bytes);

 private:
  void read_piece(std::string_view message);
  void read_trainer(std::string_view message);
  void read_normalizer(std::string_view message);
  void read_denormalizer(std::string_view message) const;
  void read_model_type(std::uint64_t type);
  void find_special_tokens();
  std::optional<TokenId> find_control(const PieceIndex& index, std::string_view piece) const;

  std::string name_;
  Vocabulary vocabulary_;
  std::string bos_piece_ = "<s>";
  std::string eos_piece_ = "</s>";
  std::string padding_piece_ = "<pad>";
};

std::shared_ptr<const Vocabulary> Reader::read(std::string_view bytes) {
  ProtobufReader fields(bytes, name_);
  while (const auto field = fields.next()) {
    if (field->number() == model_field::kPiece) read_piece(field->bytes());
    if (field->number() == model_field::kTrainer) read_trainer(field->bytes());
    if (field->number() == model_field::kNormalizer) read_normalizer(field->bytes());
    if (field->number() == model_field::kDenormalizer) read_denormalizer(field->bytes());
  }
  if (vocabulary_.pieces.empty())
    fail(ErrorKind::corrupt, "{}: found no pieces, expected a SentencePiece model", name_);
  find_special_tokens();
  return std::make_shared<const Vocabulary>(std::move(vocabulary_));
}

void Reader::read_piece(std::string_view message) {
  std::string_view piece;
  float score = 0;
  std::uint64_t kind = 1;
  ProtobufReader fields(message, name_);
  while (const auto field = fields.next()) {
    if (field->number() == piece_field::kPiece) piece = field->bytes();
    if (field->number() == piece_field::kScore) score = field->number_float();
    if (field->number() == piece_field::kType) kind = field->integer();
  }
  const std::size_t index = vocabulary_.pieces.size();
  if (index == std::numeric_limits<std::int32_t>::max())
    fail(ErrorKind::corrupt, "{}: found more than {} pieces", name_, index);
  if (piece.empty()) fail(ErrorKind::corrupt, "{}: piece {} is empty", name_, index);
  if (kind < 1 || kind > 6)
    fail(ErrorKind::corrupt, "{}: piece {} has type {}, expected 1 to 6", name_, index, kind);
  vocabulary_.pieces.emplace_back(piece);
  vocabulary_.scores.push_back(score);
  vocabulary_.kinds.push_back(static_cast<TokenKind>(kind));
}

void Reader::read_model_type(std::uint64_t type) {
  switch (type) {
    case 1:
      vocabulary_.model = kUnigramModel;
      return;
    case 2:
      vocabulary_.model = kScoredBpeModel;
      return;
    case 3:
      vocabulary_.model = kWordModel;
      return;
    case 4:
      vocabulary_.model = kCharacterModel;
      return;
    default:
      fail(ErrorKind::unsupported, "{}: model type {} is not supported, expected 1 to 4", name_,
           type);
  }
}

void Reader::read_trainer(std::string_view message) {
  // An empty name stands for the default one.
  const auto set_piece = [](std::string& piece, std::string_view value) {
    if (!value.empty()) piece = value;
  };
  ProtobufReader fields(message, name_);
  while (const auto field = fields.next()) {
    SentencePieceRules& rules = vocabulary_.sentence_piece;
    const std::uint32_t number = field->number();
    if (number == trainer_field::kModelType) read_model_type(field->integer());
    if (number == trainer_field::kSpaceSuffix) rules.space_suffix = field->boolean();
    if (number == trainer_field::kByteFallback) rules.byte_fallback = field->boolean();
    if (number == trainer_field::kUnknownSurface) rules.unknown_text = field->bytes();
    if (number == trainer_field::kBosPiece) set_piece(bos_piece_, field->bytes());
    if (number == trainer_field::kEosPiece) set_piece(eos_piece_, field->bytes());
    if (number == trainer_field::kPaddingPiece) set_piece(padding_piece_, field->bytes());
  }
}

void Reader::read_normalizer(std::string_view message) {
  ProtobufReader fields(message, name_);
  while (const auto field = fields.next()) {
    SentencePieceRules& rules = vocabulary_.sentence_piece;
    const std::uint32_t number = field->number();
    if (number == normalizer_field::kPrecompiledMap) rules.precompiled_map = field->bytes();
    if (number == normalizer_field::kAddDummyPrefix)
      vocabulary_.add_space_prefix = field->boolean();
    if (number == normalizer_field::kRemoveExtraSpaces)
      rules.remove_extra_spaces = field->boolean();
    if (number == normalizer_field::kEscapeSpaces) rules.escape_spaces = field->boolean();
  }
}

void Reader::read_denormalizer(std::string_view message) const {
  ProtobufReader fields(message, name_);
  while (const auto field = fields.next())
    if (field->number() == normalizer_field::kPrecompiledMap && !field->bytes().empty())
      fail(ErrorKind::unsupported, "{}: denormalizer_spec is not supported; use a model without it",
           name_);
}

std::optional<TokenId> Reader::find_control(const PieceIndex& index, std::string_view piece) const {
  const auto token = index.find(piece);
  if (!token) return std::nullopt;
  const TokenKind kind = vocabulary_.kinds[static_cast<std::size_t>(token->value)];
  return kind == TokenKind::control ? token : std::nullopt;
}

void Reader::find_special_tokens() {
  // Text finds pieces of one kind, names those of the other: one string may stand in both.
  PieceIndex found_in_text(vocabulary_.pieces.size());
  PieceIndex named(vocabulary_.pieces.size());
  for (std::size_t i = 0; i < vocabulary_.pieces.size(); ++i) {
    const TokenId token(static_cast<std::int32_t>(i));
    const TokenKind kind = vocabulary_.kinds[i];
    const bool is_named =
        kind == TokenKind::unknown || kind == TokenKind::control || kind == TokenKind::byte;
    if (!(is_named ? named : found_in_text).insert(vocabulary_.pieces[i], token))
      fail(ErrorKind::corrupt, "{}: piece {} stands twice", name_, i);
    if (kind != TokenKind::unknown) continue;
    if (vocabulary_.unknown)
      fail(ErrorKind::corrupt, "{}: pieces {} and {} are both the unknown token", name_,
           vocabulary_.unknown->value, i);
    vocabulary_.unknown = token;
  }
  if (!vocabulary_.unknown) fail(ErrorKind::corrupt, "{}: no piece is the unknown token", name_);
  vocabulary_.bos = find_control(named, bos_piece_);
  vocabulary_.eos = find_control(named, eos_piece_);
  vocabulary_.padding = find_control(named, padding_piece_);
  if (vocabulary_.eos) vocabulary_.end_of_generation.push_back(*vocabulary_.eos);
}

}  // namespace

std::shared_ptr<const Vocabulary> read_sentencepiece_model(const std::filesystem::path& path) {
  const base::MappedFile file(path);
  const auto* const bytes = reinterpret_cast<const char*>(file.bytes().data());
  return parse_sentencepiece_model({bytes, file.bytes().size()}, path.string());
}

std::shared_ptr<const Vocabulary> parse_sentencepiece_model(std::string_view bytes,
                                                            std::string_view name) {
  return Reader(name).read(bytes);
}

}  // namespace cairn::text
