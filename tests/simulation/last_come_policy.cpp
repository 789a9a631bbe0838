#include "last_come_policy.h"

#include <algorithm>
#include <deque>
#include <list>
#include <vector>

#include "base/check.h"

namespace cairn::simulation {
namespace {

/// Free blocks in the order of reuse; each remembers which block of which request it held.
class Blocks {
 public:
  explicit Blocks(std::int32_t count) : spots_(static_cast<std::size_t>(count)) {
    for (std::int32_t block = 0; block < count; ++block) {
      spots_[static_cast<std::size_t>(block)] = free_.insert(free_.end(), {block, -1});
    }
  }
  std::size_t free_count() const { return free_.size(); }
  /// The block that is reused next, or one that must come back: `wanted`.
  std::int32_t take() {
    const Free first = free_.front();
    free_.pop_front();
    return first.block;
  }
  bool holds(std::int32_t block, std::int64_t content) const {
    const auto spot = spots_[static_cast<std::size_t>(block)];
    return spot != free_.end() && spot->content == content;
  }
  void take_back(std::int32_t block) { free_.erase(spots_[static_cast<std::size_t>(block)]); }
  void release(std::int32_t block, std::int64_t content) {
    spots_[static_cast<std::size_t>(block)] = free_.insert(free_.end(), {block, content});
  }
  void forget_spot(std::int32_t block) { spots_[static_cast<std::size_t>(block)] = free_.end(); }

 private:
  struct Free {
    std::int32_t block;
    std::int64_t content;  // -1: none
  };
  std::list<Free> free_;
  std::vector<std::list<Free>::iterator> spots_;  // by block
};

struct Serving {
  std::int32_t index = 0;
  LoadRequest request;
  std::int32_t computed = 0;
  std::int32_t reached = 0;  // the most that was ever computed
  std::int32_t generated = 0;
  std::vector<std::int32_t> blocks;
  std::vector<std::int32_t> lost;  // what it held when it was preempted

  std::int32_t token_count() const { return request.prompt_tokens + generated; }
};

class LastComePreempted {
 public:
  LastComePreempted(const std::vector<LoadRequest>& load, const perf::SimulatorOptions& options)
      : options_(options),
        block_tokens_(options.page_tokens),
        max_batch_tokens_(options.scheduler.max_batch_tokens),
        blocks_(options.page_counts.front()) {
    outcome_.requests.resize(load.size());
    for (const LoadRequest& request : load) {
      Serving& serving = all_.emplace_back();
      serving.index = static_cast<std::int32_t>(all_.size()) - 1;
      serving.request = request;
    }
  }

  ServingOutcome run() {
    std::size_t arrived = 0;
    std::size_t finished = 0;
    while (finished < all_.size()) {
      while (arrived < all_.size() && all_[arrived].request.arrival_seconds <= outcome_.seconds) {
        waiting_.push_back(&all_[arrived++]);
      }
      if (running_.empty() && waiting_.empty()) {
        outcome_.seconds = all_[arrived].request.arrival_seconds;
        continue;
      }
      finished += step();
    }
    return outcome_;
  }

 private:
  static std::int64_t content(const Serving& serving, std::size_t block) {
    return std::int64_t{serving.index} * 100'000 + static_cast<std::int64_t>(block);
  }

  bool allocate(Serving& serving, std::int32_t token_count) {
    const auto needed = static_cast<std::size_t>((token_count + block_tokens_ - 1) / block_tokens_);
    if (needed > serving.blocks.size() + blocks_.free_count()) return false;
    while (serving.blocks.size() < needed) {
      serving.blocks.push_back(blocks_.take());
      blocks_.forget_spot(serving.blocks.back());
    }
    return true;
  }

  void release(Serving& serving) {
    // Only full blocks are known by their content.
    const auto full = static_cast<std::size_t>(serving.computed / block_tokens_);
    for (std::size_t i = serving.blocks.size(); i-- > 0;) {
      blocks_.release(serving.blocks[i], i < full ? content(serving, i) : -1);
    }
    serving.lost = std::move(serving.blocks);
    serving.blocks.clear();
    serving.computed = 0;
  }

  void find_again(Serving& serving) {
    const auto most = static_cast<std::size_t>((serving.token_count() - 1) / block_tokens_);
    for (std::size_t i = 0; i < std::min(most, serving.lost.size()); ++i) {
      const std::int32_t block = serving.lost[i];
      if (!blocks_.holds(block, content(serving, i))) break;
      blocks_.take_back(block);
      blocks_.forget_spot(block);
      serving.blocks.push_back(block);
      serving.computed += block_tokens_;
    }
  }

  void preempt_last() {
    Serving* const last = running_.back();
    running_.pop_back();
    release(*last);
    waiting_.push_front(last);
    ++outcome_.preemptions;
  }

  void schedule(Serving& serving, std::int32_t count) {
    rows_ += count;
    outcome_.recomputed_tokens +=
        std::max(0, std::min(serving.reached, serving.computed + count) - serving.computed);
    serving.computed += count;
    serving.reached = std::max(serving.reached, serving.computed);
  }

  /// Returns how many requests finished.
  std::size_t step() {
    rows_ = 0;
    const std::int64_t preempted_before = outcome_.preemptions;
    for (std::size_t i = 0; i < running_.size() && rows_ < max_batch_tokens_; ++i) {
      Serving& serving = *running_[i];
      const std::int32_t count =
          std::min(serving.token_count() - serving.computed, max_batch_tokens_ - rows_);
      bool there = true;
      while (there && !allocate(serving, serving.computed + count)) {
        there = running_.back() != &serving;
        preempt_last();
      }
      if (there) schedule(serving, count);
    }
    if (outcome_.preemptions == preempted_before) start_waiting();
    CHECK(rows_ > 0, "nothing can run on {} blocks", options_.page_counts.front());
    ++outcome_.steps;
    outcome_.computed_tokens += rows_;
    outcome_.seconds += options_.price.per_step + options_.price.per_row * rows_;
    return finish();
  }

  void start_waiting() {
    while (!waiting_.empty() && rows_ < max_batch_tokens_ &&
           running_.size() < static_cast<std::size_t>(options_.scheduler.max_sequences)) {
      Serving& serving = *waiting_.front();
      find_again(serving);
      const std::int32_t count =
          std::min(serving.token_count() - serving.computed, max_batch_tokens_ - rows_);
      if (!allocate(serving, serving.computed + count)) {
        release(serving);
        break;
      }
      waiting_.pop_front();
      running_.push_back(&serving);
      schedule(serving, count);
    }
  }

  std::size_t finish() {
    std::size_t finished = 0;
    for (Serving* const serving : running_) {
      if (serving->computed < serving->token_count()) continue;
      ++serving->generated;
      ++outcome_.generated_tokens;
      if (serving->generated < serving->request.output_tokens) continue;
      ++finished;
      ServedRequest& served = outcome_.requests[static_cast<std::size_t>(serving->index)];
      served.arrival = serving->request.arrival_seconds;
      served.end = outcome_.seconds;
      release(*serving);
    }
    std::erase_if(running_, [](const Serving* serving) {
      return serving->generated == serving->request.output_tokens;
    });
    return finished;
  }

  perf::SimulatorOptions options_;
  std::int32_t block_tokens_;
  std::int32_t max_batch_tokens_;
  Blocks blocks_;
  std::deque<Serving> all_;
  std::deque<Serving*> waiting_;
  std::vector<Serving*> running_;
  std::int32_t rows_ = 0;
  ServingOutcome outcome_;
};

}  // namespace

ServingOutcome serve_last_come_preempted(const std::vector<LoadRequest>& load,
                                         const perf::SimulatorOptions& options) {
  return LastComePreempted(load, options).run();
}

}  // namespace cairn::simulation
