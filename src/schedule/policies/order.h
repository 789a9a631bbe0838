#pragma once
// Order: who among the waiting starts first. One file an order (policies/fcfs.cpp), one line in the
// table of order.cpp.
//
// An order gives keys in seconds, like an arrival time that is moved forward for what it favours.
// Keys of those who wait stand still while the keys of newcomers grow with the clock, so whoever
// waits long enough is first: ageing is built in and nobody starves.

#include <memory>
#include <string_view>

#include "schedule/scheduler_options.h"
#include "schedule/sequence.h"

namespace cairn::schedule {

class Order {
 public:
  virtual ~Order() = default;
  /// Who has the smaller key starts first; ties go to the earlier arrival. A pure function of the
  /// sequence, looked up again when its hit_count has changed.
  virtual double key(const Sequence& sequence) const = 0;
  /// The same among those who run, for who keeps its pages. Must not change during the sequence's
  /// life, so that two sequences never take pages from each other in turn.
  virtual double rank(const Sequence& /*sequence*/) const { return 0; }
  /// Whether sequences start while others run; if not, a batch starts when the last has finished.
  virtual bool joins_running() const { return true; }
};

/// Throws invalid_argument naming the orders there are.
std::unique_ptr<Order> make_order(const SchedulerOptions& options);

}  // namespace cairn::schedule
