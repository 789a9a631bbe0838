#include "cli/serving_options.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace cairn::cli {
namespace {

TEST(ServingOptions, SizesAreReadWithTheirUnits) {
  EXPECT_EQ(parse_bytes("--kv-memory", "1000"), 1000);
  EXPECT_EQ(parse_bytes("--kv-memory", "512MB"), 512'000'000);
  EXPECT_EQ(parse_bytes("--kv-memory", "2 gb"), 2'000'000'000);
  EXPECT_EQ(parse_bytes("--kv-memory", "1.5GiB"), 1'610'612'736);
}

TEST(ServingOptions, WhatIsNoSizeIsRefusedByFlag) {
  for (const char* const text : {"", "lots", "-1GB", "0", "5 apples", "1e300GB", "nan", "inf"}) {
    try {
      parse_bytes("--kv-memory", text);
      ADD_FAILURE() << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::invalid_argument);
      EXPECT_NE(error.message().find("--kv-memory"), std::string::npos);
    }
  }
}

TEST(ServingOptions, TheEngineGetsThem) {
  ServingOptions options;
  options.max_sequences = 100;
  options.kv_memory = "1MB";
  options.no_prefix_cache = true;
  options.schedule = "prefix";
  options.target_itl_ms = 20;
  EngineOptions engine;
  apply(options, engine);
  EXPECT_EQ(engine.max_sequences, 100);
  EXPECT_GE(engine.max_waiting, 200);
  EXPECT_EQ(engine.kv_memory_bytes, 1'000'000);
  EXPECT_FALSE(engine.prefix_cache);
  EXPECT_EQ(engine.order, "prefix");
  EXPECT_DOUBLE_EQ(engine.target_itl_seconds, 0.02);
}

}  // namespace
}  // namespace cairn::cli
