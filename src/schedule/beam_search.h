#pragma once
// Beam search as transformers' generate(num_beams, do_sample = false) does it: of all continuations
// of all beams by one token the 2 * width best by sum of log-probabilities are looked at (more
// where there are several end tokens). Of these, the best `width` that do not end are the next
// beams, and those that end and are among the first `width` are finished. Sums are f32; of equal
// ones the lower beam's, then the lower token id is first. Pure; the scheduler gives each beam a
// sequence.
//
//     offer() by every beam  ->  ready()  ->  advance()  ->  moves() or over()
//
// Not thread-safe. Allocates in the constructor and where a beam finishes.

#include <cstdint>
#include <span>
#include <vector>

#include "schedule/request.h"

namespace cairn::schedule {

class BeamSearch {
 public:
  /// A finished beam.
  struct Hypothesis {
    std::vector<TokenId> tokens;  // generated, the end token included
    float score = 0;              // sum / length ^ length_penalty
    bool ends = false;            // with an end token, not at the limit
  };
  /// A beam of the next step: which one it continues, and with what.
  struct Move {
    std::int32_t parent = 0;
    TokenId token;
  };

  /// REQUIRES: request.beam_search; most_tokens >= 1, the most that may be generated.
  BeamSearch(const Request& request, std::int32_t most_tokens);

  /// How many continuations each beam must offer: more can never matter.
  static std::int32_t candidate_count(const Request& request);
  std::int32_t candidate_count() const { return static_cast<std::int32_t>(candidate_count_); }

  std::int32_t width() const { return options_.width; }
  /// The best continuations of a beam by log-probability, best first.
  void offer(std::int32_t beam, std::span<const TokenLogprob> candidates);
  bool has_offered(std::int32_t beam) const;
  bool ready() const { return offered_ == options_.width; }

  /// REQUIRES: ready().
  void advance();
  bool over() const { return over_; }
  /// After advance(), unless it is over: one for each beam.
  std::span<const Move> moves() const { return moves_; }
  /// The best first; `width` of them once it is over.
  std::span<const Hypothesis> finished() const { return finished_; }

 private:
  struct Candidate {
    float sum;
    std::int32_t parent;
    TokenId token;
    bool ends;   // by an end token
    bool stops;  // that, or at the limit
  };
  struct Beam {
    std::vector<TokenId> tokens;  // generated
    float sum = 0;
    std::vector<TokenLogprob> candidates;
    bool has_offered = false;
  };

  void collect();
  void finish_candidates();
  void keep(const Candidate& candidate, float score);
  void move_beams();
  bool can_improve() const;
  float score_of(float sum, std::int32_t token_count) const;
  bool is_end(TokenId token) const;

  BeamSearchOptions options_;
  std::vector<TokenId> end_tokens_;
  std::int32_t most_tokens_;
  std::size_t candidate_count_;
  std::int32_t generated_ = 0;  // tokens of each beam, those of the candidates included
  std::int32_t offered_ = 0;
  bool over_ = false;
  std::vector<Beam> beams_;
  std::vector<Beam> next_;
  std::vector<Candidate> candidates_;
  std::vector<Move> moves_;
  std::vector<Hypothesis> finished_;  // best first
};

}  // namespace cairn::schedule
