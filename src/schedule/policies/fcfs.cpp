// First come, first served.

#include "schedule/policies/order.h"

namespace cairn::schedule {
namespace {

class FirstComeFirstServed final : public Order {
 public:
  double key(const Sequence& /*sequence*/) const override { return 0; }
};

}  // namespace

std::unique_ptr<Order> make_fcfs(const SchedulerOptions& /*options*/) {
  return std::make_unique<FirstComeFirstServed>();
}

}  // namespace cairn::schedule
