#pragma once
// For tests: random steps as a scheduler would plan them, on a cache whose pages' contents are
// known. Several sequences a step are extended, opened, forked, truncated or closed; then copies
// and rows are written; then some of it is accepted. All draws come from the seed.

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

#include "cache/page_contents.h"
#include "cache/page_demand.h"
#include "cache/paged_cache.h"

namespace cairn::cache {

struct RandomUseSetting {
  std::int32_t page_tokens = 4;
  std::int32_t window_tokens = 0;  // of a second group; 0: one group
  bool full = true;                // has the group without a window
  std::int32_t page_count = 20;    // of each group
  std::int32_t vocabulary = 2;
  bool share_prefixes = true;
};

struct ModelledSequence {
  TableId table;
  std::uint64_t salt = 0;
  std::vector<TokenId> tokens;
  std::vector<std::uint64_t> contents;  // by position: what its page must hold
  std::int32_t planned = 0;             // > computed: pages are there, rows not yet written
};

class RandomUse {
 public:
  RandomUse(const RandomUseSetting& setting, std::uint32_t seed)
      : setting_(setting),
        random_(seed),
        cache_(groups_of(setting), options_of(setting)),
        contents_(group_count(), setting.page_count, setting.page_tokens) {}

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
  static constexpr PagedState kFull{1, 8, 8, 0};
  static constexpr std::int32_t kSequenceTokens = 60;
  static constexpr std::int32_t kChunkTokens = 12;

  static std::vector<PageGroup> groups_of(const RandomUseSetting& setting) {
    std::vector<StateSpec> states;
    if (setting.full) states.emplace_back(kFull);
    PagedState windowed = kFull;
    windowed.window_tokens = setting.window_tokens;
    if (setting.window_tokens > 0) states.emplace_back(windowed);
    return group_layers(states);
  }
  static PagedCacheOptions options_of(const RandomUseSetting& setting) {
    PagedCacheOptions options;
    options.page_tokens = setting.page_tokens;
    options.page_counts.assign(groups_of(setting).size(), setting.page_count);
    options.max_sequences = 5;
    options.sequence_tokens = kSequenceTokens;
    options.chunk_tokens = kChunkTokens;
    options.share_prefixes = setting.share_prefixes;
    return options;
  }

  std::size_t group_count() const { return cache_.groups().size(); }
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
    ModelledSequence opened;
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
  std::int32_t least_match(const ModelledSequence& sequence) const {
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

  void extend(ModelledSequence& sequence) {
    const std::int32_t computed = cache_.computed_count(sequence.table);
    if (sequence.planned > computed) return;
    const std::int32_t end = std::min(computed + 1 + draw(kChunkTokens),
                                      static_cast<std::int32_t>(sequence.tokens.size()));
    if (end <= computed) return append(sequence);
    bool expected = true;
    const std::int64_t usable = cache_.free_pages() + cache_.cached_pages();
    for (std::size_t group = 0; group < group_count(); ++group) {
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

  void append(ModelledSequence& sequence) {
    if (sequence.tokens.size() == kSequenceTokens) return;
    sequence.tokens.emplace_back(draw(setting_.vocabulary));
    sequence.contents = contents_of(sequence.tokens, sequence.salt);
  }

  void fork(const ModelledSequence& from) {
    const std::int32_t computed = cache_.computed_count(from.table);
    const bool whole = setting_.window_tokens > 0;
    const std::int32_t at = whole ? computed : draw(computed + 1);
    ModelledSequence forked = from;
    const auto table = cache_.fork(from.table, at);
    EXPECT_EQ(table.has_value(), sequences_.size() < 5);
    if (!table) return;
    forked.table = *table;
    forked.planned = at;
    forked.tokens.resize(static_cast<std::size_t>(at));
    append(forked);
    sequences_.push_back(std::move(forked));
  }

  void truncate(ModelledSequence& sequence) {
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
    const ModelledSequence& closed = sequences_[index];
    const std::int32_t computed = cache_.computed_count(closed.table);
    const std::int32_t kept = keep ? computed : computed - computed % setting_.page_tokens;
    remember_left(closed, kept);
    std::vector<std::int32_t> expected;
    for (std::size_t group = 0; group < group_count(); ++group) {
      expected.push_back(cache_.available(group) +
                         cache_.pages_freed_by_closing(closed.table, group));
    }
    cache_.close(closed.table, closed.tokens, keep);
    for (std::size_t group = 0; group < group_count(); ++group) {
      EXPECT_EQ(cache_.available(group), expected[group]);
    }
    sequences_.erase(sequences_.begin() + static_cast<std::ptrdiff_t>(index));
  }

  void remember_left(const ModelledSequence& sequence, std::int32_t count) {
    if (!setting_.share_prefixes) return;
    left_.emplace_back(sequence.salt,
                       std::vector(sequence.tokens.begin(), sequence.tokens.begin() + count));
  }

  std::uint64_t& slot(const ModelledSequence& sequence, std::size_t group, std::int32_t position) {
    return contents_.at(group, cache_.pages(sequence.table, group), position);
  }

  void execute() {
    for (const PageCopy& copy : copies_) contents_.copy(copy);
    copies_.clear();
    for (std::size_t group = 0; group < group_count(); ++group) {
      for (const ModelledSequence& sequence : sequences_) {
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
      ModelledSequence& sequence = sequences_[index];
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
    for (const ModelledSequence& sequence : sequences_) {
      const std::int32_t computed = cache_.computed_count(sequence.table);
      for (std::size_t group = 0; group < group_count(); ++group) {
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
    ModelledSequence& last = sequences_.front();
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

  RandomUseSetting setting_;
  std::mt19937 random_;
  PagedCache cache_;
  PageContents contents_;
  std::vector<PageCopy> copies_;
  std::vector<ModelledSequence> sequences_;
  std::vector<std::vector<TokenId>> history_;
  std::vector<std::pair<std::uint64_t, std::vector<TokenId>>> left_;  // salt, tokens
};

}  // namespace cairn::cache
