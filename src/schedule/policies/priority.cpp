// The most urgent first. Each level of priority is worth ageing_seconds of waiting.

#include "schedule/policies/order.h"

namespace cairn::schedule {
namespace {

class PriorityWithAgeing final : public Order {
 public:
  explicit PriorityWithAgeing(double ageing_seconds) : ageing_seconds_(ageing_seconds) {}

  double key(const Sequence& sequence) const override { return rank(sequence); }
  double rank(const Sequence& sequence) const override {
    return base::seconds_between({}, sequence.arrival) -
           sequence.request->priority * ageing_seconds_;
  }

 private:
  double ageing_seconds_;
};

}  // namespace

std::unique_ptr<Order> make_priority(const SchedulerOptions& options) {
  return std::make_unique<PriorityWithAgeing>(options.ageing_seconds);
}

}  // namespace cairn::schedule
