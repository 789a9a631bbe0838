#include "cli/sha256.h"

#include "cli/test_support.h"

namespace cairn::cli {
namespace {

TEST(Sha256, KnownAnswers) {  // FIPS 180-4, example and empty message
  EXPECT_EQ(sha256_of("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_of(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST_F(FolderTest, AFileHasTheSumOfItsBytes) {
  write_text(folder_ / "file", "abc");
  EXPECT_EQ(sha256_of_file(folder_ / "file"), sha256_of("abc"));
}

TEST(Sha256, TextOfASumIsRecognized) {
  EXPECT_TRUE(is_sha256(sha256_of("")));
  EXPECT_FALSE(is_sha256(sha256_of("").substr(1)));
  EXPECT_FALSE(is_sha256(std::string(64, 'g')));
}

}  // namespace
}  // namespace cairn::cli
