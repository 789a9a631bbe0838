#pragma once
// Lends reusable working memory to concurrent calls, so that each has its own and a warm call
// allocates nothing. Thread-safe.

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace cairn::text {

template <class Scratch>
class ScratchPool {
 public:
  /// Gives the scratch back when it goes.
  class Lease {
   public:
    Lease(ScratchPool& pool, std::unique_ptr<Scratch> scratch)
        : pool_(pool), scratch_(std::move(scratch)) {}
    ~Lease() { pool_.give_back(std::move(scratch_)); }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    Scratch& operator*() const { return *scratch_; }

   private:
    ScratchPool& pool_;
    std::unique_ptr<Scratch> scratch_;
  };

  Lease borrow() {
    {
      const std::lock_guard lock(mutex_);
      if (!idle_.empty()) {
        std::unique_ptr<Scratch> scratch = std::move(idle_.back());
        idle_.pop_back();
        return Lease(*this, std::move(scratch));
      }
    }
    return Lease(*this, std::make_unique<Scratch>());
  }

 private:
  static constexpr std::size_t kMostIdle = 16;

  void give_back(std::unique_ptr<Scratch> scratch) {
    const std::lock_guard lock(mutex_);
    if (idle_.size() < kMostIdle) idle_.push_back(std::move(scratch));
  }

  std::mutex mutex_;
  std::vector<std::unique_ptr<Scratch>> idle_;
};

}  // namespace cairn::text
