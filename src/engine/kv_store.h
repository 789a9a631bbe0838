#pragma once
// The bytes of the KV pages: one block of keys and one of values a layer, page after page (the
// layout within is backend/kv_pages.h). Who owns which page is the cache's business.

#include <cstdint>
#include <span>
#include <vector>

#include "backend/backend.h"
#include "cache/page_group.h"
#include "cache/paged_cache.h"
#include "engine/engine_options.h"
#include "nn/pass.h"

namespace cairn::engine {

/// Bytes of one page of a group, all its layers together. Throws invalid_argument for a type that
/// keys or values of these dimensions cannot have.
std::int64_t page_bytes(const cache::PageGroup& group, const EngineOptions& options);

/// Each layer's pages without memory: shapes, types and groups. Throws unsupported for a kind of
/// state that is no pages, and what page_bytes() throws.
std::vector<nn::LayerPages> layer_pages(std::span<const cache::StateSpec> states,
                                        std::span<const cache::PageGroup> groups,
                                        const EngineOptions& options);

class KvStore {
 public:
  /// `page_counts` by group. Throws out_of_memory.
  KvStore(std::span<const cache::StateSpec> states, std::span<const cache::PageGroup> groups,
          std::span<const std::int32_t> page_counts, const EngineOptions& options,
          backend::Backend& backend);

  std::span<const nn::LayerPages> layers() const { return layers_; }  // by LayerIndex

  /// So many tokens are kept. Attention walks many in large pages of the system; while there are
  /// few, which lie at the beginning of each layer's memory, these would only be slow to clear.
  void expect(std::int64_t token_count);

  /// Copies a page in all layers of the group. Positions from copy.token_count on have no meaning
  /// in the copy until they are written: the whole page is one move of bytes.
  void copy(const cache::PageCopy& copy) const;

 private:
  std::vector<nn::LayerPages> layers_;
  Buffer memory_;  // keys of the first layer | its values | keys of the second ...
  bool has_large_pages_ = false;
};

}  // namespace cairn::engine
