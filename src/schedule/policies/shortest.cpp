// The shortest first: fewest tokens still to be computed and generated. 1,000 of them are worth
// ageing_seconds of waiting.

#include "schedule/policies/order.h"

namespace cairn::schedule {
namespace {

class ShortestWithAgeing final : public Order {
 public:
  explicit ShortestWithAgeing(double ageing_seconds) : seconds_per_token_(ageing_seconds / 1000) {}

  double key(const Sequence& sequence) const override {
    const std::int32_t remaining = sequence.length_limit - sequence.hit_count;
    return base::seconds_between({}, sequence.arrival) + remaining * seconds_per_token_;
  }

 private:
  double seconds_per_token_;
};

}  // namespace

std::unique_ptr<Order> make_shortest(const SchedulerOptions& options) {
  return std::make_unique<ShortestWithAgeing>(options.ageing_seconds);
}

}  // namespace cairn::schedule
