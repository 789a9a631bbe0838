#include "base/error.h"
#include "text/huggingface/splitter.h"

namespace cairn::text::huggingface {

std::unique_ptr<Splitter> make_script_splitter() {
  fail(ErrorKind::unsupported, "UnicodeScripts");
}

}  // namespace cairn::text::huggingface
