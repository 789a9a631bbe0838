#include "beam_client.h"

#include <fmt/format.h>

#include <algorithm>

namespace cairn::simulation {

using schedule::FinishReason;
using schedule::Next;

BeamClient::BeamClient(const Request& request, const perf::SimulatorOptions& options,
                       std::string& fault)
    : expected_(alone(request, options)), fault_(fault) {
  listener_.beams.resize(static_cast<std::size_t>(request.choice_count));
}

std::vector<BeamClient::Beam> BeamClient::alone(Request request,
                                                const perf::SimulatorOptions& options) {
  perf::SimulatorOptions roomy = options;
  roomy.share_prefixes = false;
  roomy.checks_content = false;
  roomy.gives_logits = false;
  roomy.scheduler.order = "fcfs";
  roomy.scheduler.max_waiting = roomy.scheduler.max_sequences;
  const std::int32_t pages =
      (roomy.scheduler.context_tokens + roomy.scheduler.max_batch_tokens) / roomy.page_tokens + 2;
  for (std::int32_t& count : roomy.page_counts) count = pages * roomy.scheduler.max_sequences;
  perf::Simulator simulator(roomy);
  Listener listener;
  listener.beams.resize(static_cast<std::size_t>(request.choice_count));
  request.observer = &listener;
  request.deadline.reset();
  simulator.core().submit(std::move(request));
  while (simulator.step()) {
  }
  return listener.beams;
}

Next BeamClient::Listener::on_token(const schedule::TokenEvent& event) {
  beams[static_cast<std::size_t>(event.choice)].tokens.push_back(event.token);
  return Next::go_on;
}

void BeamClient::Listener::on_finished(const schedule::FinishedEvent& event) {
  beams[static_cast<std::size_t>(event.choice)].score = event.beam_score;
}

Next BeamClient::on_token(const schedule::TokenEvent& event) {
  return listener_.on_token(event);
}

void BeamClient::on_finished(const schedule::FinishedEvent& event) {
  listener_.on_finished(event);
  if (!event.last) return;
  set_done();
  const bool early =
      event.reason == FinishReason::cancelled || event.reason == FinishReason::deadline;
  if (early || listener_.beams == expected_ || !fault_.empty()) return;
  fault_ = fmt::format("request {}: the beams differ from those alone", id().value);
}

}  // namespace cairn::simulation
