#include "clairvoyant.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <span>
#include <tuple>

#include "schedule/counting_executor.h"

namespace cairn::simulation {
namespace {

constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

enum class EventKind { start, computed, end };  // in this order at one time

struct Event {
  double time = 0;
  EventKind kind = EventKind::start;
  std::size_t request = 0;
};

struct Node {
  std::size_t parent = 0;
  std::vector<std::int64_t> uses;  // starts, by number, of requests that could use it; ascending
  std::size_t next_use = 0;        // into uses
  std::int32_t pins = 0;
  std::int32_t cached_children = 0;
  bool cached = false;

  std::int64_t key() const { return next_use < uses.size() ? uses[next_use] : kNever; }
};

class Clairvoyant {
 public:
  Clairvoyant(const std::vector<TracedRequest>& requests, std::int32_t page_count,
              std::int32_t page_tokens)
      : requests_(requests),
        page_tokens_(page_tokens),
        free_pages_(page_count),
        nodes_(1),
        runs_(requests.size()) {
    for (std::size_t i = 0; i < requests.size(); ++i) {
      paths_.push_back(path_of(requests[i]));
      events_.push_back({requests[i].started, EventKind::start, i});
      events_.push_back({requests[i].computed, EventKind::computed, i});
      events_.push_back({requests[i].ended, EventKind::end, i});
    }
    std::stable_sort(events_.begin(), events_.end(), [](const Event& a, const Event& b) {
      return std::tie(a.time, a.kind) < std::tie(b.time, b.kind);
    });
    std::int64_t starts = 0;
    for (const Event& event : events_) {
      if (event.kind != EventKind::start) continue;
      for (const std::size_t node : usable(event.request)) nodes_[node].uses.push_back(starts);
      ++starts;
    }
  }

  ClairvoyantHits run() {
    for (const Event& event : events_) {
      if (event.kind == EventKind::start) start(event.request);
      if (event.kind == EventKind::computed) compute(event.request);
      if (event.kind == EventKind::end) end(event.request);
    }
    return {hit_tokens_, static_cast<std::int64_t>(nodes_.size()) - 1};
  }

 private:
  struct Run {
    std::size_t pinned = 0;          // leading nodes of its path
    std::int32_t private_pages = 0;  // of what is not computed yet
  };

  std::vector<std::size_t> path_of(const TracedRequest& request) {
    std::vector<std::size_t> path;
    std::size_t parent = 0;
    std::uint64_t prefix = 0;
    for (std::size_t position = 0; position < request.tokens.size(); ++position) {
      prefix = schedule::CountingExecutor::append(prefix, request.tokens[position]);
      if ((position + 1) % static_cast<std::size_t>(page_tokens_) != 0) continue;
      const auto [found, added] = by_prefix_.try_emplace(prefix, nodes_.size());
      if (added) nodes_.emplace_back().parent = parent;
      parent = found->second;
      path.push_back(parent);
    }
    return path;
  }

  /// The pages that a hit may consist of: one token is always computed.
  std::span<const std::size_t> usable(std::size_t request) const {
    const auto pages =
        static_cast<std::size_t>((requests_[request].prompt_tokens - 1) / page_tokens_);
    return std::span(paths_[request]).first(std::min(pages, paths_[request].size()));
  }

  bool evictable(const Node& node) const {
    return node.cached && node.pins == 0 && node.cached_children == 0;
  }
  void hide(std::size_t node) { evictable_.erase({nodes_[node].key(), node}); }
  void show(std::size_t node) {
    if (node != 0 && evictable(nodes_[node])) evictable_.insert({nodes_[node].key(), node});
  }
  void pin(std::size_t node) {
    hide(node);
    ++nodes_[node].pins;
  }
  void unpin(std::size_t node) {
    --nodes_[node].pins;
    show(node);
  }

  void take_page() {
    // More than there are, where its hits differ so much from the run's: that is in its favour.
    if (free_pages_ > 0 || evictable_.empty()) {
      --free_pages_;
      return;
    }
    const std::size_t node = std::prev(evictable_.end())->second;
    hide(node);
    nodes_[node].cached = false;
    --nodes_[nodes_[node].parent].cached_children;
    show(nodes_[node].parent);
  }

  void start(std::size_t request) {
    for (const std::size_t node : usable(request)) {
      hide(node);
      ++nodes_[node].next_use;
      show(node);
    }
    Run& run = runs_[request];
    for (const std::size_t node : usable(request)) {
      if (!nodes_[node].cached) break;
      pin(node);
      ++run.pinned;
    }
    hit_tokens_ += static_cast<std::int64_t>(run.pinned) * page_tokens_;
    const std::int32_t pages = (requests_[request].prompt_tokens + page_tokens_ - 1) / page_tokens_;
    run.private_pages = pages - static_cast<std::int32_t>(run.pinned);
    for (std::int32_t page = 0; page < run.private_pages; ++page) take_page();
  }

  void publish(std::size_t request, std::size_t node_count) {
    Run& run = runs_[request];
    for (; run.pinned < node_count; ++run.pinned) {
      const std::size_t node = paths_[request][run.pinned];
      if (run.private_pages > 0) {
        --run.private_pages;
      } else {
        take_page();
      }
      if (nodes_[node].cached) {
        ++free_pages_;  // merged
      } else {
        nodes_[node].cached = true;
        hide(nodes_[node].parent);
        ++nodes_[nodes_[node].parent].cached_children;
      }
      pin(node);
    }
  }

  void compute(std::size_t request) {
    publish(request, static_cast<std::size_t>(requests_[request].prompt_tokens / page_tokens_));
  }

  void end(std::size_t request) {
    publish(request, paths_[request].size());
    Run& run = runs_[request];
    free_pages_ += run.private_pages;
    while (run.pinned > 0) unpin(paths_[request][--run.pinned]);
  }

  const std::vector<TracedRequest>& requests_;
  std::int32_t page_tokens_;
  std::int64_t free_pages_;
  std::vector<Node> nodes_;  // 0: the root
  std::map<std::uint64_t, std::size_t> by_prefix_;
  std::vector<std::vector<std::size_t>> paths_;  // by request
  std::vector<Event> events_;
  std::set<std::pair<std::int64_t, std::size_t>> evictable_;  // by next use
  std::vector<Run> runs_;
  std::int64_t hit_tokens_ = 0;
};

}  // namespace

ClairvoyantHits clairvoyant_hits(const std::vector<TracedRequest>& requests,
                                 std::int32_t page_count, std::int32_t page_tokens) {
  return Clairvoyant(requests, page_count, page_tokens).run();
}

}  // namespace cairn::simulation
