#include "cli/answer_printer.h"

namespace cairn::cli {

double AnswerTimes::decode_tokens_per_second() const {
  const double seconds = seconds_between(first_token, last_token);
  return seconds > 0 ? (usage.generated_tokens - 1) / seconds : 0;
}

AnswerPrinter::AnswerPrinter(const text::Tokenizer& tokenizer,
                             std::vector<std::string> stop_strings, const base::Clock& clock,
                             std::FILE* out)
    : detokenizer_(tokenizer, std::move(stop_strings)), clock_(clock), out_(out) {
  times_.submitted = times_.first_token = times_.last_token = clock.now();
}

schedule::Next AnswerPrinter::on_token(const schedule::TokenEvent& event) {
  times_.last_token = clock_.now();
  if (event.index == 0) times_.first_token = times_.last_token;
  if (event.ends) return schedule::Next::go_on;
  print(detokenizer_.push(event.token));
  return detokenizer_.stopped() ? schedule::Next::stop : schedule::Next::go_on;
}

void AnswerPrinter::on_finished(const schedule::FinishedEvent& event) {
  print(detokenizer_.finish());
  times_.usage = event.usage;
  times_.reason = event.reason;
}

void AnswerPrinter::print(const std::string& piece) {
  text_ += piece;
  if (out_ == nullptr || piece.empty()) return;
  std::fwrite(piece.data(), 1, piece.size(), out_);
  std::fflush(out_);
}

}  // namespace cairn::cli
