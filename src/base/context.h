#pragma once
// What every running part needs from outside, passed by reference: threads, clock, log.

#include "base/clock.h"
#include "base/log.h"
#include "base/thread_pool.h"

namespace cairn::base {

struct Context {
  ThreadPool& threads;
  const Clock& clock;
  const Log& log;
};

}  // namespace cairn::base

namespace cairn {
using base::Context;
}
