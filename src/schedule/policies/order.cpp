#include "schedule/policies/order.h"

#include <array>

#include "base/error.h"

namespace cairn::schedule {

std::unique_ptr<Order> make_fcfs(const SchedulerOptions& options);
std::unique_ptr<Order> make_prefix(const SchedulerOptions& options);
std::unique_ptr<Order> make_priority(const SchedulerOptions& options);
std::unique_ptr<Order> make_shortest(const SchedulerOptions& options);
std::unique_ptr<Order> make_static_batch(const SchedulerOptions& options);

namespace {

struct OrderEntry {
  std::string_view name;
  std::unique_ptr<Order> (*make)(const SchedulerOptions& options);
};

constexpr std::array kOrders = {
    OrderEntry{"fcfs", make_fcfs},            // first come
    OrderEntry{"priority", make_priority},    // most urgent
    OrderEntry{"prefix", make_prefix},        // most in the cache
    OrderEntry{"shortest", make_shortest},    // least to do
    OrderEntry{"static", make_static_batch},  // batch after batch
};

}  // namespace

std::unique_ptr<Order> make_order(const SchedulerOptions& options) {
  std::string names;
  for (const OrderEntry& entry : kOrders) {
    if (entry.name == options.order) return entry.make(options);
    names += names.empty() ? "" : ", ";
    names += entry.name;
  }
  fail(ErrorKind::invalid_argument, "schedule: found '{}', expected one of: {}", options.order,
       names);
}

}  // namespace cairn::schedule
