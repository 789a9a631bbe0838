#include <string>

#include "text/huggingface/metaspace.h"
#include "text/huggingface/splitter.h"
#include "text/utf8.h"

namespace cairn::text::huggingface {

namespace {

/// Writes blanks as the mark, puts one before the text, and cuts before each of them.
class MetaspaceSplitter final : public Splitter {
 public:
  explicit MetaspaceSplitter(const Field& block)
      : metaspace_(read_metaspace(block)),
        mark_(decode_utf8(metaspace_.mark)),
        cuts_(block.boolean("split", true)) {}

  bool needs_sources() const override { return metaspace_.scheme == PrependScheme::first; }

  void apply(PreTokenized& text) const override {
    text.rewrite([&](Rewriter& rewriter, const Split& split) {
      const std::string_view old = rewriter.old_text();
      const bool marked = old.starts_with(' ') || old.starts_with(metaspace_.mark);
      if (!marked && prepends(text, split)) rewriter.insert_before(metaspace_.mark);
      write_marked(rewriter);
    });
    if (cuts_) text.cut_at([&](char32_t c) { return c == mark_; }, SplitBehavior::merged_with_next);
  }

 private:
  bool prepends(const PreTokenized& text, const Split& split) const {
    switch (metaspace_.scheme) {
      case PrependScheme::always:
        return true;
      case PrependScheme::first:
        return text.source_of(split.begin, split.end).begin == 0;
      case PrependScheme::never:
        return false;
    }
    return false;
  }

  void write_marked(Rewriter& rewriter) const {
    const std::string_view old = rewriter.old_text();
    std::size_t done = 0;
    for (std::size_t blank = 0; (blank = old.find(' ', done)) != std::string_view::npos;) {
      rewriter.keep(blank - done);
      rewriter.replace(metaspace_.mark);
      done = blank + 1;
    }
    rewriter.keep(old.size() - done);
  }

  Metaspace metaspace_;
  char32_t mark_;
  bool cuts_;
};

}  // namespace

Metaspace read_metaspace(const Field& block) {
  Metaspace metaspace;
  metaspace.mark = block.at("replacement").character();
  if (const auto scheme = block.find("prepend_scheme")) {
    if (scheme->text() == "first")
      metaspace.scheme = PrependScheme::first;
    else if (scheme->text() == "never")
      metaspace.scheme = PrependScheme::never;
    else if (scheme->text() != "always")
      scheme->refuse("always, first or never");
  }
  // The older spelling.
  const auto prefix = block.find("add_prefix_space");
  if (prefix && !prefix->boolean()) {
    const bool contradicts =
        block.find("prepend_scheme") && metaspace.scheme != PrependScheme::never;
    if (contradicts) prefix->refuse("true, or the prepend_scheme \"never\"");
    metaspace.scheme = PrependScheme::never;
  }
  return metaspace;
}

std::unique_ptr<Splitter> make_metaspace_splitter(const Field& block) {
  return std::make_unique<MetaspaceSplitter>(block);
}

}  // namespace cairn::text::huggingface
