#include <utility>

#include "text/huggingface/normalizer.h"
#include "text/huggingface/text_pattern.h"
#include "text/utf8.h"

namespace cairn::text::huggingface {

namespace {

constexpr std::size_t kLongestContentBytes = 1024;

class ReplaceNormalizer final : public Normalizer {
 public:
  explicit ReplaceNormalizer(const Field& block)
      : pattern_(block.at("pattern")), content_(block.at("content").text()) {
    if (content_.size() > kLongestContentBytes) block.at("content").refuse("at most 1024 bytes");
  }

  void apply(Rewriter& rewriter) const override {
    const std::string_view text = rewriter.old_text();
    pattern_.scan(
        text, [&](std::size_t begin, std::size_t end) { rewriter.keep(end - begin); },
        [&](std::size_t begin, std::size_t end) {
          while (begin < end) {
            begin += next_utf8(text.substr(begin)).size_bytes;
            rewriter.remove();
          }
          rewriter.insert(content_);
        });
  }

 private:
  TextPattern pattern_;
  std::string content_;
};

}  // namespace

std::unique_ptr<Normalizer> make_replace_normalizer(const Field& block) {
  return std::make_unique<ReplaceNormalizer>(block);
}

}  // namespace cairn::text::huggingface
