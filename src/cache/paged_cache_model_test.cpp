// PagedCache against a model that knows what stands in every page: random steps as a scheduler
// would plan them, where each position's content is a hash of all tokens up to it. A page that is
// freed too early, shared wrongly, copied too late or found under the wrong tokens shows as wrong
// content. A run is one seed.

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "cache/page_demand.h"
#include "cache/paged_cache.h"

namespace cairn::cache {
namespace {

constexpr PagedState kFull{1, 8, 8, 0};

struct Setting {
  std::int32_t page_tokens = 4;
  std::int32_t window_tokens = 0;  // of a second group; 0: one group
  bool full = true;                // has the group without a window
  std::int32_t page_count = 20;    // of each group
  std::int32_t vocabulary = 2;
  bool share_prefixes = true;
};

struct Sequence {
  TableId table;
  std::uint64_t salt = 0;
  std::vector<TokenId> tokens;
  std::vector<std::uint64_t> contents;  // by position: what its page must hold
  std::int32_t planned = 0;             // > computed: pages are there, rows not yet written
};

std::vector<std::uint64_t> contents_of(std::span<const TokenId> tokens, std::uint64_t salt) {
  std::vector<std::uint64_t> contents;
  std::uint64_t state = salt * 0x9e3779b97f4a7c15U + 1;
  for (const TokenId token : tokens) {
    state = (state ^ static_cast<std::uint64_t>(token.value + 1)) * 0xff51afd7ed558ccdU;
    state ^= state >> 29;
    contents.push_back(state);
  }
  return contents;
}

class Run {
 public:
  Run(const Setting& setting, std::uint32_t seed)
      : setting_(setting), random_(seed), cache_(groups_of(setting), options_of(setting)) {
    const auto slots = static_cast<std::size_t>(setting.page_count * setting.page_tokens);
    written_.assign(cache_.groups().size(), std::vector<std::uint64_t>(slots, 0));
  }

  void steps(int count) {
    for (int step = 0; step < count && !testing::Test::HasFailure(); ++step) {
      plan();
      execute();
      commit();
      check();
    }
    finish_one_alone();
    while (!sequences_.empty()) close(sequences_.size() - 1, draw(2) == 0);
    EXPECT_EQ(cache_.owned_pages(), 0);
    cache_.drop_cached();
    EXPECT_EQ(cache_.cached_pages(), 0);
    EXPECT_EQ(cache_.check_integrity(), "");
  }

 private:
  static constexpr std::int32_t kSequenceTokens = 60;
  static constexpr std::int32_t kChunkTokens = 12;

  static std::vector<PageGroup> groups_of(const Setting& setting) {
    std::vector<StateSpec> states;
    if (setting.full) states.emplace_back(kFull);
    PagedState windowed = kFull;
    windowed.window_tokens = setting.window_tokens;
    if (setting.window_tokens > 0) states.emplace_back(windowed);
    return group_layers(states);
  }
  static PagedCacheOptions options_of(const Setting& setting) {
    PagedCacheOptions options;
    options.page_tokens = setting.page_tokens;
    options.page_counts.assign(groups_of(setting).size(), setting.page_count);
    options.max_sequences = 5;
    options.sequence_tokens = kSequenceTokens;
    options.chunk_tokens = kChunkTokens;
    options.share_prefixes = setting.share_prefixes;
    return options;
  }

  std::int32_t draw(std::int32_t count) {
    return static_cast<std::int32_t>(random_() % static_cast<std::uint32_t>(count));
  }

  void plan() {
    for (int event = draw(8); event >= 0; --event) {
      const auto index = sequences_.empty() ? 0 : random_() % sequences_.size();
      const std::int32_t kind = sequences_.empty() ? 0 : draw(12);
      if (kind < 3) {
        open();
      } else if (kind < 9) {
        extend(sequences_[index]);
      } else if (kind == 9) {
        fork(sequences_[index]);
      } else if (kind == 10) {
        truncate(sequences_[index]);
      } else {
        close(index, draw(3) > 0);
      }
      EXPECT_EQ(cache_.check_integrity(), "");
    }
  }

  std::vector<TokenId> draw_prompt() {
    std::vector<TokenId> tokens;
    if (!history_.empty() && draw(4) > 0) {
      tokens = history_[random_() % history_.size()];
      tokens.resize(static_cast<std::size_t>(draw(static_cast<std::int32_t>(tokens.size()) + 1)));
    }
    const std::int32_t more = 1 + draw(kSequenceTokens / 2);
    for (std::int32_t count = 0; count < more && tokens.size() < kSequenceTokens; ++count) {
      tokens.emplace_back(draw(setting_.vocabulary));
    }
    if (history_.size() < 40) history_.push_back(tokens);
    return tokens;
  }

  void open() {
    Sequence opened;
    opened.tokens = draw_prompt();
    opened.salt = static_cast<std::uint64_t>(draw(2));
    const std::int32_t match = cache_.match_prefix(opened.tokens, opened.salt);
    EXPECT_LT(match, static_cast<std::int32_t>(opened.tokens.size()));
    EXPECT_GE(match, least_match(opened));
    const auto table = cache_.open(opened.tokens, opened.salt);
    EXPECT_EQ(table.has_value(), sequences_.size() < 5);
    if (!table) return;
    EXPECT_EQ(cache_.computed_count(*table), match);
    opened.table = *table;
    opened.contents = contents_of(opened.tokens, opened.salt);
    sequences_.push_back(std::move(opened));
  }

  /// Where nothing was evicted, everything that was left is found again.
  std::int32_t least_match(const Sequence& sequence) const {
    if (setting_.page_count < 1000 || setting_.window_tokens > 0) return 0;
    std::size_t longest = 0;
    for (const auto& [salt, tokens] : left_) {
      if (salt != sequence.salt) continue;
      const auto end = std::mismatch(tokens.begin(), tokens.end(), sequence.tokens.begin(),
                                     sequence.tokens.end());
      longest = std::max(longest, static_cast<std::size_t>(end.first - tokens.begin()));
    }
    return static_cast<std::int32_t>(std::min(longest, sequence.tokens.size() - 1));
  }

  void extend(Sequence& sequence) {
    const std::int32_t computed = cache_.computed_count(sequence.table);
    if (sequence.planned > computed) return;
    const std::int32_t end = std::min(computed + 1 + draw(kChunkTokens),
                                      static_cast<std::int32_t>(sequence.tokens.size()));
    if (end <= computed) return append(sequence);
    bool expected = true;
    const std::int64_t usable = cache_.free_pages() + cache_.cached_pages();
    for (std::size_t group = 0; group < written_.size(); ++group) {
      expected &= cache_.pages_to_extend(sequence.table, end, group) <= cache_.available(group);
    }
    const bool extended = cache_.extend(sequence.table, end, copies_);
    EXPECT_EQ(extended, expected);
    if (extended) {
      sequence.planned = end;
    } else {
      EXPECT_EQ(cache_.free_pages() + cache_.cached_pages(), usable);
    }
  }

  void append(Sequence& sequence) {
    if (sequence.tokens.size() == kSequenceTokens) return;
    sequence.tokens.emplace_back(draw(setting_.vocabulary));
    sequence.contents = contents_of(sequence.tokens, sequence.salt);
  }

  void fork(const Sequence& from) {
    const std::int32_t computed = cache_.computed_count(from.table);
    const bool whole = setting_.window_tokens > 0;
    const std::int32_t at = whole ? computed : draw(computed + 1);
    Sequence forked = from;
    const auto table = cache_.fork(from.table, at);
    EXPECT_EQ(table.has_value(), sequences_.size() < 5);
    if (!table) return;
    forked.table = *table;
    forked.planned = at;
    forked.tokens.resize(static_cast<std::size_t>(at));
    append(forked);
    sequences_.push_back(std::move(forked));
  }

  void truncate(Sequence& sequence) {
    const std::int32_t computed = cache_.computed_count(sequence.table);
    const bool whole = setting_.window_tokens > 0;
    const std::int32_t to = whole ? computed : draw(computed + 1);
    cache_.truncate(sequence.table, to);
    sequence.planned = to;
    sequence.tokens.resize(static_cast<std::size_t>(to));
    sequence.contents.resize(sequence.tokens.size());
    append(sequence);
  }

  void close(std::size_t index, bool keep) {
    const Sequence& closed = sequences_[index];
    const std::int32_t computed = cache_.computed_count(closed.table);
    const std::int32_t kept = keep ? computed : computed - computed % setting_.page_tokens;
    remember_left(closed, kept);
    std::vector<std::int32_t> expected;
    for (std::size_t group = 0; group < written_.size(); ++group) {
      expected.push_back(cache_.available(group) +
                         cache_.pages_freed_by_closing(closed.table, group));
    }
    cache_.close(closed.table, closed.tokens, keep);
    for (std::size_t group = 0; group < written_.size(); ++group) {
      EXPECT_EQ(cache_.available(group), expected[group]);
    }
    sequences_.erase(sequences_.begin() + static_cast<std::ptrdiff_t>(index));
  }

  void remember_left(const Sequence& sequence, std::int32_t count) {
    if (!setting_.share_prefixes) return;
    left_.emplace_back(sequence.salt,
                       std::vector(sequence.tokens.begin(), sequence.tokens.begin() + count));
  }

  std::uint64_t& slot(const Sequence& sequence, std::size_t group, std::int32_t position) {
    const auto page = cache_.pages(
        sequence.table, group)[static_cast<std::size_t>(position / setting_.page_tokens)];
    return written_[group].at(static_cast<std::size_t>(page.value * setting_.page_tokens +
                                                       position % setting_.page_tokens));
  }

  void execute() {
    for (const PageCopy& copy : copies_) {
      auto& group = written_[static_cast<std::size_t>(copy.group)];
      const auto from = group.begin() + copy.from.value * setting_.page_tokens;
      std::copy(from, from + copy.token_count,
                group.begin() + copy.to.value * setting_.page_tokens);
    }
    copies_.clear();
    for (std::size_t group = 0; group < written_.size(); ++group) {
      for (const Sequence& sequence : sequences_) {
        const std::int32_t computed = cache_.computed_count(sequence.table);
        for (std::int32_t at = computed; at < sequence.planned; ++at) {
          slot(sequence, group, at) = sequence.contents[static_cast<std::size_t>(at)];
        }
      }
    }
    check();
  }

  void commit() {
    for (std::size_t index = sequences_.size(); index-- > 0;) {
      Sequence& sequence = sequences_[index];
      const std::int32_t computed = cache_.computed_count(sequence.table);
      if (sequence.planned <= computed) continue;
      // Drafts may be refused, and a client may go away meanwhile.
      const bool refused = draw(5) == 0;
      const std::int32_t accepted =
          refused ? computed + draw(sequence.planned - computed + 1) : sequence.planned;
      if (draw(16) == 0) {
        close(index, draw(2) == 0);
        continue;
      }
      cache_.advance(sequence.table, sequence.tokens, accepted);
      if (draw(2) == 0) cache_.truncate(sequence.table, accepted);
      sequence.planned = accepted;
      remember_left(sequence, accepted - accepted % setting_.page_tokens);
      if (accepted == static_cast<std::int32_t>(sequence.tokens.size())) append(sequence);
    }
  }

  /// What the next row of every sequence reads is there, and is its own.
  void check() {
    EXPECT_EQ(cache_.check_integrity(), "");
    for (const Sequence& sequence : sequences_) {
      const std::int32_t computed = cache_.computed_count(sequence.table);
      for (std::size_t group = 0; group < written_.size(); ++group) {
        const std::int32_t first = first_visible(cache_.groups()[group].state, computed);
        for (std::int32_t at = first; at < std::max(computed, sequence.planned); ++at) {
          EXPECT_EQ(slot(sequence, group, at), sequence.contents[static_cast<std::size_t>(at)])
              << "table " << sequence.table.value << ", group " << group << ", position " << at;
        }
      }
    }
  }

  /// One that fits alone comes to its end alone (M3).
  void finish_one_alone() {
    while (sequences_.size() > 1) close(sequences_.size() - 1, true);
    if (sequences_.empty() || testing::Test::HasFailure()) return;
    Sequence& last = sequences_.front();
    while (last.tokens.size() < kSequenceTokens) append(last);
    while (cache_.fits(cache_.computed_count(last.table) + 1)) {
      const std::int32_t computed = cache_.computed_count(last.table);
      last.planned = std::min(kSequenceTokens, computed + kChunkTokens);
      while (!cache_.fits(last.planned)) --last.planned;
      EXPECT_TRUE(cache_.extend(last.table, last.planned, copies_)) << "to " << last.planned;
      if (testing::Test::HasFailure()) return;
      execute();
      cache_.advance(last.table, last.tokens, last.planned);
      check();
    }
  }

  Setting setting_;
  std::mt19937 random_;
  PagedCache cache_;
  std::vector<std::vector<std::uint64_t>> written_;  // by group: [pages, page_tokens]
  std::vector<PageCopy> copies_;
  std::vector<Sequence> sequences_;
  std::vector<std::vector<TokenId>> history_;
  std::vector<std::pair<std::uint64_t, std::vector<TokenId>>> left_;  // salt, tokens
};

void run_seeds(const Setting& setting, std::uint32_t count) {
  for (std::uint32_t seed = 0; seed < count && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Run(setting, seed).steps(25);
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
