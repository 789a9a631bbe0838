// Static batching, for comparison: a batch starts when the last one has finished, first come, first
// served.

#include "schedule/policies/order.h"

namespace cairn::schedule {
namespace {

class StaticBatch final : public Order {
 public:
  double key(const Sequence& /*sequence*/) const override { return 0; }
  bool joins_running() const override { return false; }
};

}  // namespace

std::unique_ptr<Order> make_static_batch(const SchedulerOptions& /*options*/) {
  return std::make_unique<StaticBatch>();
}

}  // namespace cairn::schedule
