// First come, first served.

#include "schedule/policies/order.h"

namespace cairn::schedule {
namespace {

class FirstComeFirstServed final : public Order {
 public:
  bool comes_before(const Sequence& a, const Sequence& b, base::TimePoint) const override {
    return a.arrival_number < b.arrival_number;
  }
};

}  // namespace

std::unique_ptr<Order> make_fcfs() {
  return std::make_unique<FirstComeFirstServed>();
}

}  // namespace cairn::schedule
