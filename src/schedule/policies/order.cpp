#include "schedule/policies/order.h"

#include <array>

#include "base/error.h"

namespace cairn::schedule {

std::unique_ptr<Order> make_fcfs();

namespace {

struct OrderEntry {
  std::string_view name;
  std::unique_ptr<Order> (*make)();
};

constexpr std::array kOrders = {
    OrderEntry{"fcfs", make_fcfs},
};

}  // namespace

std::unique_ptr<Order> make_order(std::string_view name) {
  std::string names;
  for (const OrderEntry& entry : kOrders) {
    if (entry.name == name) return entry.make();
    names += names.empty() ? "" : ", ";
    names += entry.name;
  }
  fail(ErrorKind::invalid_argument, "schedule: found '{}', expected one of: {}", name, names);
}

}  // namespace cairn::schedule
