#pragma once
// Who asks for something under a random load.

#include "schedule/request.h"

namespace cairn::simulation {

class LoadClient : public schedule::RequestObserver {
 public:
  RequestId id() const { return id_; }
  void set_id(RequestId id) { id_ = id; }
  void set_cancelled() { cancelled_ = true; }
  bool cancelled() const { return cancelled_; }
  /// Nothing more will come.
  bool done() const { return done_; }

 protected:
  void set_done() { done_ = true; }

 private:
  RequestId id_;
  bool cancelled_ = false;
  bool done_ = false;
};

}  // namespace cairn::simulation
