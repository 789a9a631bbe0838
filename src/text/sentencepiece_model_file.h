#pragma once
// SentencePiece's own files, "tokenizer.model" or "spiece.model": a protobuf message ModelProto.
// Reads untrusted bytes.

#include <filesystem>
#include <memory>
#include <string_view>

#include "text/vocabulary.h"

namespace cairn::text {

/// The vocabulary for make_tokenizer(). Such a file does not say whether a model wants BOS or EOS
/// around a text: neither is added unless the caller sets it. Throws not_found, io, corrupt with
/// the field, or unsupported, naming what is not read here.
std::shared_ptr<const Vocabulary> read_sentencepiece_model(const std::filesystem::path& path);

/// The same from a file's bytes; `name` stands for it in errors.
std::shared_ptr<const Vocabulary> parse_sentencepiece_model(std::string_view bytes,
                                                            std::string_view name);

}  // namespace cairn::text
