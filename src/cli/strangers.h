#pragma once
// Other requests that run in the same steps (`cairn logits --beside`): read from JSON lines, kept
// busy until the request under test is done.

#include <memory>
#include <string>
#include <vector>

#include "engine/session.h"
#include "engine/step_observer.h"

namespace cairn::cli {

struct Stranger {
  std::vector<TokenId> tokens;
};

/// One JSON object with "tokens" a line. Throws invalid_argument naming file and line.
std::vector<Stranger> read_strangers(const std::string& path);

/// Rows of every step that computed something.
class RowCounter final : public engine::StepObserver {
 public:
  void on_step(const engine::StepStatistics& statistics) override {
    if (statistics.rows > 0) rows_.push_back(statistics.rows);
  }
  /// "rows per step: median 9, smallest 1, largest 40, 57 steps"
  std::string summary() const;

 private:
  std::vector<std::int32_t> rows_;
};

/// Continues each stranger until end_all(), whatever its model says.
class Company {
 public:
  Company(engine::Session& session, const std::vector<Stranger>& strangers);
  void end_all();

 private:
  engine::Session& session_;
  std::vector<RequestId> ids_;
};

}  // namespace cairn::cli
