#include "base/error.h"

namespace cairn::base {

const char* name_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::invalid_argument:
      return "invalid_argument";
    case ErrorKind::not_found:
      return "not_found";
    case ErrorKind::corrupt:
      return "corrupt";
    case ErrorKind::unsupported:
      return "unsupported";
    case ErrorKind::out_of_memory:
      return "out_of_memory";
    case ErrorKind::io:
      return "io";
    case ErrorKind::unavailable:
      return "unavailable";
    case ErrorKind::cancelled:
      return "cancelled";
  }
  return "unknown";
}

}  // namespace cairn::base
