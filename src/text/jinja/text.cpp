#include "text/jinja/text.h"

#include <algorithm>

#include "text/jinja/limits.h"
#include "text/jinja/unicode.h"

namespace cairn::text::jinja {

Text::Text(std::string bytes, Origin origin) {
  if (bytes.empty()) return;
  auto body = std::make_shared<Body>();
  body->length = count_code_points(bytes);
  body->bytes = std::move(bytes);
  body->origin = origin;
  body_ = std::move(body);
}

std::size_t Text::offset_of(std::size_t index) const {
  if (is_ascii()) return index;
  const std::string_view all = bytes();
  std::size_t offset = 0;
  for (; index > 0; --index) decode(all, offset);
  return offset;
}

std::size_t Text::index_of(std::size_t offset) const {
  return is_ascii() ? offset : count_code_points(bytes().substr(0, offset));
}

Text Text::sub(std::size_t begin, std::size_t count) const {
  if (begin >= size()) return {};
  const std::size_t end = begin + std::min(count, size() - begin);
  if (begin == 0 && end == size()) return *this;
  TextBuilder builder;
  builder.append(*this, begin, end);
  return builder.finish(is_markup());
}

Origin Text::origin_at(std::size_t offset) const {
  if (!body_) return Origin::template_source;
  const auto run = std::upper_bound(body_->runs.begin(), body_->runs.end(), offset,
                                    [](std::size_t at, const Run& r) { return at < r.end; });
  return run == body_->runs.end() ? body_->origin : run->origin;
}

Text Text::with_markup(bool markup) const {
  if (markup == is_markup()) return *this;
  auto body = body_ ? std::make_shared<Body>(*body_) : std::make_shared<Body>();
  body->markup = markup;
  Text text;
  text.body_ = std::move(body);
  return text;
}

TextBuilder::TextBuilder() : max_bytes_(kMaxTextBytes) {}

void TextBuilder::require_room(std::size_t bytes) const {
  if (bytes > max_bytes_ - bytes_.size()) {
    refuse("the text grows beyond {} bytes", max_bytes_);
  }
}

void TextBuilder::append(const Text& text, std::size_t begin, std::size_t end) {
  text.for_each_piece(begin, end,
                      [&](std::string_view bytes, Origin origin) { append(bytes, origin); });
}

void TextBuilder::append(std::string_view bytes, Origin origin) {
  if (bytes.empty()) return;
  require_room(bytes.size());
  if (origin != origin_ && !bytes_.empty()) runs_.push_back({bytes_.size(), origin_});
  origin_ = origin;
  bytes_ += bytes;
}

void TextBuilder::append_repeated(const Text& text, std::size_t count) {
  if (text.empty() || count == 0) return;
  if (count > max_bytes_ / text.size()) require_room(max_bytes_ + 1);
  require_room(count * text.size());
  for (; count > 0; --count) append(text);
}

Text TextBuilder::finish(bool markup) {
  Text text;
  if (bytes_.empty() && !markup) return text;
  auto body = std::make_shared<Text::Body>();
  body->length = count_code_points(bytes_);
  if (!runs_.empty()) runs_.push_back({bytes_.size(), origin_});
  body->bytes = std::move(bytes_);
  body->runs = std::move(runs_);
  body->origin = origin_;
  body->markup = markup;
  text.body_ = std::move(body);
  bytes_.clear();
  runs_.clear();
  return text;
}

}  // namespace cairn::text::jinja
