#pragma once
// For tests: runs a model's forward on flat batches of several sequences, with pages of its own
// whose order is scattered on purpose.

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "backend/cost/cost_backend.h"
#include "cache/page_group.h"
#include "models/model.h"

namespace cairn::models {

/// The next tokens of one sequence in a step.
struct TestRows {
  std::size_t sequence = 0;
  std::span<const TokenId> tokens;
};

class TestHarness {
 public:
  static constexpr std::int32_t kPageTokens = 32;

  TestHarness(backend::Backend& backend, const Model& model, DType kv_type,
              std::size_t sequence_count, std::int32_t capacity_tokens)
      : backend_(backend),
        model_(model),
        groups_(cache::group_layers(model.states())),
        sequence_count_(sequence_count),
        pages_per_sequence_(static_cast<std::size_t>(capacity_tokens / kPageTokens + 1)),
        lengths_(sequence_count, 0) {
    layers_.resize(model.states().size());
    for (std::size_t group = 0; group < groups_.size(); ++group) add_pages(group, kv_type);
    // Page i of sequence s, counted from the end of the pool.
    const std::size_t pool = sequence_count * pages_per_sequence_;
    for (std::size_t sequence = 0; sequence < sequence_count; ++sequence) {
      for (std::size_t page = 0; page < pages_per_sequence_; ++page) {
        const std::size_t id = pool - 1 - (page * sequence_count + sequence);
        tables_.emplace_back(static_cast<std::int32_t>(id));
      }
    }
  }

  /// One step over all `parts`; logits of every row, [rows, vocabulary].
  std::vector<float> step(std::span<const TestRows> parts) {
    collect_rows(parts);
    backend::CostBackend cost;
    const std::size_t workspace_bytes = measure(cost);
    const nn::Batch batch{tokens_, positions_, group_rows_, logit_rows_};
    const auto rows = static_cast<std::int64_t>(tokens_.size());
    nn::Workspace workspace(backend_.allocate(workspace_bytes));
    nn::Pass pass{backend_, batch, workspace, layers_};
    std::vector<float> logits(tokens_.size() * static_cast<std::size_t>(model_.shape().vocabulary));
    model_.forward(pass, {DType::f32,
                          {rows, model_.shape().vocabulary},
                          reinterpret_cast<std::byte*>(logits.data())});
    return logits;
  }

  /// The same for sequence 0, without arithmetic: adds the step's price to `cost`.
  void step_cost(backend::CostBackend& cost, std::span<const TokenId> tokens) {
    const TestRows part{0, tokens};
    collect_rows({&part, 1});
    measure(cost);
  }

  /// All tokens of sequence 0, `chunk` a step.
  std::vector<float> run(std::span<const TokenId> tokens, std::size_t chunk) {
    std::vector<float> logits;
    for (std::size_t begin = 0; begin < tokens.size(); begin += chunk) {
      const TestRows part{0, tokens.subspan(begin, std::min(chunk, tokens.size() - begin))};
      const std::vector<float> step_logits = step({&part, 1});
      logits.insert(logits.end(), step_logits.begin(), step_logits.end());
    }
    return logits;
  }

 private:
  /// Bytes of workspace that the collected rows need.
  std::size_t measure(backend::CostBackend& cost) const {
    const nn::Batch batch{tokens_, positions_, group_rows_, logit_rows_};
    nn::Workspace measured{Buffer()};
    nn::Pass dry{cost, batch, measured, layers_};
    const auto rows = static_cast<std::int64_t>(tokens_.size());
    model_.forward(dry, {DType::f32, {rows, model_.shape().vocabulary}, nullptr});
    return measured.peak_bytes();
  }

  void add_pages(std::size_t group, DType kv_type) {
    const cache::PagedState& state = groups_[group].state;
    const std::size_t pages = sequence_count_ * pages_per_sequence_;
    const std::size_t pool_tokens = pages * kPageTokens;
    const std::size_t value_bytes = tensor::format_of(kv_type).bytes_per_block;
    const auto heads = static_cast<std::size_t>(state.kv_heads);
    for (const LayerIndex layer : groups_[group].layers) {
      const auto bytes = [&](std::int32_t dim) {
        return pool_tokens * heads * static_cast<std::size_t>(dim) * value_bytes;
      };
      buffers_.push_back(backend_.allocate(bytes(state.key_dim)));
      std::byte* const keys = buffers_.back().data();
      buffers_.push_back(backend_.allocate(bytes(state.value_dim)));
      layers_[static_cast<std::size_t>(layer.value)] = {
          {.keys = keys,
           .values = buffers_.back().data(),
           .key_type = kv_type,
           .value_type = kv_type,
           .kv_heads = state.kv_heads,
           .key_dim = state.key_dim,
           .value_dim = state.value_dim,
           .page_tokens = kPageTokens,
           .page_count = static_cast<std::int64_t>(pages)},
          static_cast<std::int32_t>(group)};
    }
  }

  void collect_rows(std::span<const TestRows> parts) {
    tokens_.clear();
    positions_.clear();
    logit_rows_.clear();
    keys_.assign(groups_.size(), {});
    write_slots_.clear();
    for (const TestRows& part : parts) {
      const PageId* pages = tables_.data() + part.sequence * pages_per_sequence_;
      for (const TokenId token : part.tokens) {
        const std::int32_t position = lengths_[part.sequence]++;
        logit_rows_.push_back(static_cast<std::int32_t>(tokens_.size()));
        tokens_.push_back(token);
        positions_.push_back(position);
        write_slots_.push_back(std::int64_t{pages[position / kPageTokens].value} * kPageTokens +
                               position % kPageTokens);
        for (std::size_t group = 0; group < groups_.size(); ++group) {
          const std::int32_t window = groups_[group].state.window_tokens;
          const std::int32_t first = window == 0 ? 0 : std::max(0, position - window + 1);
          keys_[group].push_back({pages, first, position + 1});
        }
      }
    }
    group_rows_.clear();
    for (const auto& keys : keys_) group_rows_.push_back({keys, write_slots_});
  }

  backend::Backend& backend_;
  const Model& model_;
  std::vector<cache::PageGroup> groups_;
  std::size_t sequence_count_;
  std::size_t pages_per_sequence_;
  std::vector<std::int32_t> lengths_;
  std::vector<PageId> tables_;  // [sequences, pages_per_sequence]
  std::vector<Buffer> buffers_;
  std::vector<nn::LayerPages> layers_;
  std::vector<TokenId> tokens_;
  std::vector<std::int32_t> positions_;
  std::vector<std::int32_t> logit_rows_;
  std::vector<std::int64_t> write_slots_;
  std::vector<std::vector<backend::KeyList>> keys_;  // [groups][rows]
  std::vector<nn::GroupRows> group_rows_;
};

}  // namespace cairn::models
