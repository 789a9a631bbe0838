#include <utf8proc.h>

#include <array>
#include <cstdint>

#include "base/error.h"
#include "text/huggingface/normalizer.h"
#include "text/huggingface/unicode.h"
#include "text/precompiled_map.h"
#include "text/utf8.h"

namespace cairn::text::huggingface {

namespace {

std::string decode_base64(const Field& field) {
  constexpr std::string_view alphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string_view text = field.text();
  while (text.ends_with('=')) text.remove_suffix(1);
  std::string bytes;
  std::uint32_t bits = 0;
  int bit_count = 0;
  for (const char c : text) {
    const std::size_t value = alphabet.find(c);
    if (value == std::string_view::npos) field.refuse("bytes in base64");
    bits = bits << 6 | static_cast<std::uint32_t>(value);
    bit_count += 6;
    if (bit_count < 8) continue;
    bit_count -= 8;
    bytes += static_cast<char>(bits >> bit_count & 0xFFU);
  }
  return bytes;
}

/// The bytes of the grapheme cluster that begins `text`.
std::size_t grapheme_bytes(std::string_view text) {
  std::size_t end = next_utf8(text).size_bytes;
  auto previous = static_cast<utf8proc_int32_t>(decode_utf8(text.substr(0, end)));
  utf8proc_int32_t state = 0;
  while (end < text.size()) {
    const std::size_t size_bytes = next_utf8(text.substr(end)).size_bytes;
    const auto c = static_cast<utf8proc_int32_t>(decode_utf8(text.substr(end, size_bytes)));
    if (utf8proc_grapheme_break_stateful(previous, c, &state)) break;
    previous = c;
    end += size_bytes;
  }
  return end;
}

/// SentencePiece's compiled rules, applied as the `tokenizers` library does: to a short grapheme
/// cluster as a whole, else character by character.
class PrecompiledNormalizer final : public Normalizer {
 public:
  explicit PrecompiledNormalizer(const Field& block) {
    const Field blob = block.at("precompiled_charsmap");
    try {
      map_ = PrecompiledMap(decode_base64(blob));
    } catch (const Error& error) {
      fail(error.kind(), "{}: {}: {}", blob.file(), blob.path(), error.message());
    }
  }

  bool leaves(std::string_view /*text*/) const override { return map_.empty(); }

  void apply(Rewriter& rewriter) const override {
    constexpr std::size_t longest_cluster_bytes = 5;
    const std::string_view text = rewriter.old_text();
    Writer writer(rewriter);
    for (std::size_t at = 0; at < text.size();) {
      const std::string_view cluster = text.substr(at, grapheme_bytes(text.substr(at)));
      at += cluster.size();
      if (cluster.size() <= longest_cluster_bytes && write_replaced(cluster, writer)) continue;
      for (std::size_t inner = 0; inner < cluster.size();) {
        const std::size_t size_bytes = next_utf8(cluster.substr(inner)).size_bytes;
        const std::string_view character = cluster.substr(inner, size_bytes);
        if (!write_replaced(character, writer)) writer.put(character, 0);
        inner += size_bytes;
      }
    }
  }

 private:
  /// Removed characters count as part of the character written before them; at the very beginning
  /// there is none, and the alignment of all that follows moves, as in the library.
  class Writer {
   public:
    explicit Writer(Rewriter& rewriter) : rewriter_(rewriter) {}
    ~Writer() { flush(); }
    Writer(const Writer&) = delete;
    Writer& operator=(const Writer&) = delete;
    void put(std::string_view character, int change) {
      flush();
      last_ = character;
      change_ = change;
    }
    void remove(std::size_t count) { change_ -= static_cast<int>(count); }

   private:
    void flush() {
      if (!last_.empty()) rewriter_.put(last_, change_);
    }
    Rewriter& rewriter_;
    std::string_view last_;
    int change_ = 0;
  };

  bool write_replaced(std::string_view part, Writer& writer) const {
    const auto match = map_.shortest_prefix(part);
    if (!match) return false;
    std::string_view fresh = match->replacement;
    std::size_t old_count = character_count(part);
    for (; !fresh.empty(); fresh.remove_prefix(next_utf8(fresh).size_bytes)) {
      writer.put(fresh.substr(0, next_utf8(fresh).size_bytes), old_count > 0 ? 0 : 1);
      if (old_count > 0) --old_count;
    }
    writer.remove(old_count);
    return true;
  }

  PrecompiledMap map_;
};

}  // namespace

std::unique_ptr<Normalizer> make_precompiled_normalizer(const Field& block) {
  return std::make_unique<PrecompiledNormalizer>(block);
}

}  // namespace cairn::text::huggingface
