#pragma once
// A tokenizer.json of few words, for tests: blocks are replaced one by one.

#include <fmt/format.h>

#include <memory>
#include <string>

#include "text/huggingface/tokenizer_file.h"

namespace cairn::text::huggingface {

struct TestFile {
  std::string added_tokens = "[]";
  std::string normalizer = "null";
  std::string pre_tokenizer = R"({"type":"WhitespaceSplit"})";
  std::string post_processor = "null";
  std::string decoder = "null";
  std::string model =
      R"({"type":"WordLevel","unk_token":"?","vocab":{"?":0,"a":1,"b":2,"c":3,"</w>":4}})";

  std::string json() const {
    return fmt::format(R"({{"version":"1.0","added_tokens":{},"normalizer":{},"pre_tokenizer":{},)"
                       R"("post_processor":{},"decoder":{},"model":{}}})",
                       added_tokens, normalizer, pre_tokenizer, post_processor, decoder, model);
  }
  std::unique_ptr<Tokenizer> read() const { return read_tokenizer(json(), "", ""); }
};

}  // namespace cairn::text::huggingface
