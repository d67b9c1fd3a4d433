// See scheduler_start.hpp.
#include "cpu_workers/core/scheduler_start.hpp"

#include <algorithm>
#include <fstream>
#include <string>

#ifndef SLICEPOOL_THREAD_ARENA
#include <oneapi/tbb/info.h>
#include <pthread.h>

#include <atomic>
#endif

namespace slicepool {

#ifdef SLICEPOOL_THREAD_ARENA

void guardForks() {}
std::unique_lock<std::mutex> changeScheduler() { return {}; }
void startScheduler() {}

#else

namespace {

/// Held over every fork.
std::mutex& changing() {
  static auto* const kMutex = [] {
    auto* const made = new std::mutex;  // forks may come when static objects have gone
    (void)pthread_atfork([] { changing().lock(); }, [] { changing().unlock(); }, [] { changing().unlock(); });
    return made;
  }();
  return *kMutex;
}

std::atomic<bool> started{false};

}  // namespace

void guardForks() { (void)changing(); }

std::unique_lock<std::mutex> changeScheduler() { return std::unique_lock(changing()); }

void startScheduler() {
  if (started.load(std::memory_order_acquire)) return;
  const auto held = changeScheduler();
  if (started.load(std::memory_order_relaxed)) return;
  if (!machineIsOneNode()) (void)oneapi::tbb::info::numa_nodes();
  (void)oneapi::tbb::info::default_concurrency();
  started.store(true, std::memory_order_release);
}

#endif

bool isOneNode(std::string_view nodes) {
  return !nodes.empty() && std::all_of(
                               nodes.begin(), nodes.end(), [](char c) { return c >= '0' && c <= '9'; });
}

bool machineIsOneNode() {
  static const bool kOne = [] {
    std::ifstream file("/sys/devices/system/node/online");
    std::string nodes;
    return std::getline(file, nodes) && isOneNode(nodes);
  }();
  return kOne;
}

}  // namespace slicepool
