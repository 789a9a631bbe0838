#pragma once
// The experiments of simulate_serving: each prints its table, and false says that what it must show
// is not so. `loads` is the folder of the committed loads.

#include <filesystem>

namespace cairn::simulation {

/// Memory that is allocated and not used: pages, one contiguous piece of the longest length, and
/// pieces of a power of two.
bool compare_waste(const std::filesystem::path& loads);

/// What is computed again when pages are short, against the policy of last_come_policy.h.
bool compare_recompute_tax(const std::filesystem::path& loads);

/// Prompt tokens found in the cache, against evicting what is used again last (clairvoyant.h).
bool compare_hit_rates(const std::filesystem::path& loads);

/// Continuous against static batching on the same memory.
bool compare_batching(const std::filesystem::path& loads);

/// What running streams feel of a long prompt, with and without chunks.
bool compare_chunking(const std::filesystem::path& loads);

}  // namespace cairn::simulation
