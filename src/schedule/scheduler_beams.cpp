// Beams: sequences of one request that wait for each other at every token. Those that have offered
// their continuations are idle; when all have, each continues the beam that the search names, in
// whose pages it shares.

#include <algorithm>
#include <array>

#include "base/check.h"
#include "schedule/policies/admission.h"
#include "schedule/publish.h"
#include "schedule/scheduler.h"

namespace cairn::schedule {
namespace {

/// A beam before the move.
struct Before {
  bool runs = false;
  bool is_taken = false;  // its table went to a beam that continues it
  bool is_continued = false;
  cache::TableId table;
  std::int32_t computed_count = 0;
  std::int32_t reached_count = 0;
};

}  // namespace

void Scheduler::offer(Sequence& beam, const TokenScore& score, const StepResult& result) {
  beam.live->search->offer(beam.choice, std::span(result.tops)
                                            .subspan(static_cast<std::size_t>(score.first_top),
                                                     static_cast<std::size_t>(score.top_count)));
}

void Scheduler::advance_search(LiveRequest& live) {
  if (live.search == nullptr || live.search->over() || !live.search->ready()) return;
  live.search->advance();
  if (live.search->over()) return finish_search(live, FinishReason::stop);
  move_beams(live);
}

void Scheduler::move_beams(LiveRequest& live) {
  std::array<Before, kMaxBeams> before;
  const std::span<const BeamSearch::Move> moves = live.search->moves();
  for (const BeamSearch::Move& move : moves) {
    before[static_cast<std::size_t>(move.parent)].is_continued = true;
  }
  for (std::size_t index = 0; index < moves.size(); ++index) {
    Sequence& beam = live.sequences[index];
    Before& old = before[index];
    old.runs = beam.state == SequenceState::running;
    old.table = beam.table;
    old.computed_count = beam.computed_count;
    old.reached_count = beam.reached_count;
    std::swap(beam.tokens, live.parent_tokens[index]);
    if (!old.runs) {
      waiting_.remove(beam);
      continue;
    }
    std::erase(running_, &beam);
    if (!old.is_continued) cache_.close(old.table, live.parent_tokens[index], false);
  }
  for (std::size_t index = 0; index < moves.size(); ++index) {
    Sequence& beam = live.sequences[index];
    const auto parent = static_cast<std::size_t>(moves[index].parent);
    Before& old = before[parent];
    beam.tokens.assign(live.parent_tokens[parent].begin(), live.parent_tokens[parent].end());
    beam.tokens.push_back(moves[index].token);
    beam.reached_count = old.reached_count;
    std::optional<cache::TableId> table;
    if (old.runs) table = old.is_taken ? cache_.fork(old.table, old.computed_count) : old.table;
    old.is_taken = true;
    beam.computed_count = beam.planned_count = table ? old.computed_count : 0;
    if (table) {
      beam.table = *table;
      join_running(beam);
    } else {
      beam.state = SequenceState::waiting;
      waiting_.add(beam);
    }
  }
}

void Scheduler::finish_search(LiveRequest& live, FinishReason reason) {
  for (Sequence& beam : live.sequences) {
    if (beam.state == SequenceState::running) {
      cache_.close(beam.table, beam.tokens, true);
      std::erase(running_, &beam);
    } else if (beam.state == SequenceState::waiting) {
      waiting_.remove(beam);
    }
    beam.state = SequenceState::finished;
    beam.finish_reason = reason;
  }
  live.unfinished = 0;
  statistics_.generated_tokens += publish_beams(live, reason);
}

bool Scheduler::release_idle_beam() {
  const auto idle = std::find_if(running_.rbegin(), running_.rend(),
                                 [](const Sequence* sequence) { return is_idle(*sequence); });
  if (idle == running_.rend()) return false;
  preempt(**idle);
  return true;
}

}  // namespace cairn::schedule
