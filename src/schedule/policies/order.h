#pragma once
// Order: who among the waiting comes first. One file an order (policies/fcfs.cpp), one line in the
// table of order.cpp.

#include <memory>
#include <string_view>

#include "schedule/sequence.h"

namespace cairn::schedule {

class Order {
 public:
  virtual ~Order() = default;
  /// Whether `a` starts before `b`: a strict weak order. Ties go to the earlier arrival.
  virtual bool comes_before(const Sequence& a, const Sequence& b, base::TimePoint now) const = 0;
};

/// Throws invalid_argument naming the orders there are.
std::unique_ptr<Order> make_order(std::string_view name);

}  // namespace cairn::schedule
