#pragma once
// A client that asks for beams and compares what it gets with what an engine of its own gives it.

#include <string>
#include <vector>

#include "load_client.h"
#include "perf/simulator/simulator.h"

namespace cairn::simulation {

class BeamClient final : public LoadClient {
 public:
  /// `options` are those of the engine that the request goes to. `fault` takes the first fault of
  /// all clients. Throws what the engine says of a request that can never run.
  BeamClient(const Request& request, const perf::SimulatorOptions& options, std::string& fault);

  schedule::Next on_token(const schedule::TokenEvent& event) override;
  void on_finished(const schedule::FinishedEvent& event) override;

 private:
  struct Beam {
    std::vector<TokenId> tokens;
    float score = 0;
    friend bool operator==(const Beam&, const Beam&) = default;
  };
  /// Remembers what it is told.
  struct Listener final : schedule::RequestObserver {
    schedule::Next on_token(const schedule::TokenEvent& event) override;
    void on_finished(const schedule::FinishedEvent& event) override;
    std::vector<Beam> beams;
  };
  static std::vector<Beam> alone(Request request, const perf::SimulatorOptions& options);

  std::vector<Beam> expected_;
  Listener listener_;
  std::string& fault_;
};

}  // namespace cairn::simulation
