// PagedCache against a model that knows what stands in every page (random_use.h): a page that is
// freed too early, shared wrongly, copied too late or found under the wrong tokens shows as wrong
// content. A run is one seed.

#include <gtest/gtest.h>

#include "cache/random_use.h"

namespace cairn::cache {
namespace {

void run_seeds(const RandomUseSetting& setting, std::uint32_t count) {
  for (std::uint32_t seed = 0; seed < count && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    RandomUse(setting, seed).steps(25);
  }
}

TEST(PagedCacheModel, OneGroup) {
  run_seeds({}, 600);
}
TEST(PagedCacheModel, AWindowBesideAFullGroup) {
  run_seeds({.window_tokens = 9}, 600);
}
TEST(PagedCacheModel, AWindowThatEndsOnPages) {
  run_seeds({.window_tokens = 8}, 300);
}
TEST(PagedCacheModel, ATinyWindow) {
  run_seeds({.window_tokens = 1}, 300);
}
TEST(PagedCacheModel, AWindowAlone) {
  run_seeds({.window_tokens = 9, .full = false, .page_count = 12}, 600);
}
TEST(PagedCacheModel, APoolForLittleMoreThanOneSequence) {
  run_seeds({.window_tokens = 9, .page_count = 15}, 600);
}
TEST(PagedCacheModel, PagesOfOneToken) {
  run_seeds({.page_tokens = 1, .page_count = 70}, 100);
}
TEST(PagedCacheModel, WithoutATree) {
  run_seeds({.window_tokens = 9, .share_prefixes = false}, 300);
}
TEST(PagedCacheModel, NothingThatWasLeftIsLost) {
  run_seeds({.page_count = 1000}, 60);
}

}  // namespace
}  // namespace cairn::cache
