#pragma once
// A random engine and random clients. A run is one seed.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "load_client.h"
#include "perf/simulator/simulator.h"
#include "random.h"

namespace cairn::simulation {

class RandomLoad {
 public:
  explicit RandomLoad(std::uint64_t seed);

  /// Clients come and go for `steps` steps with work in them; then the last ones are served.
  /// Returns the first fault with the step it was seen in, or nothing.
  std::string run(std::int64_t steps);

  std::int64_t steps() const { return steps_; }
  const schedule::SchedulerStatistics& statistics() const {
    return simulator_.scheduler().statistics();
  }
  /// One line about the engine, for who looks into a fault.
  std::string describe() const;

 private:
  static perf::SimulatorOptions draw_options(Random& random);

  void come();
  void cancel_some();
  bool step();
  void check_step();
  void check_plan();
  void report(const std::string& fault);
  Request draw_request();
  std::unique_ptr<LoadClient> make_client(Request& request);

  Random random_;
  perf::SimulatorOptions options_;
  std::int32_t arrivals_per_mille_;
  std::int32_t cancels_per_mille_;
  std::vector<std::vector<TokenId>> documents_;  // that prompts begin with
  std::string client_fault_;
  std::string fault_;
  std::vector<std::unique_ptr<LoadClient>> clients_;  // not done
  std::int64_t steps_ = 0;
  perf::Simulator simulator_;  // last: its observers are above
};

}  // namespace cairn::simulation
