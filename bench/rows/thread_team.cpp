// See thread_team.hpp.
#include "bench/rows/thread_team.hpp"

namespace slicepool::bench {

ThreadTeam::ThreadTeam(int size) : begin_(size), end_(size) {
  for (int member = 1; member < size; ++member) helpers_.emplace_back([this, member] { help(member); });
}

ThreadTeam::~ThreadTeam() {
  work_ = nullptr;
  begin_.arrive_and_wait();
  for (auto& helper : helpers_) helper.join();
}

void ThreadTeam::run(const std::function<void(int)>& work) {
  work_ = &work;
  begin_.arrive_and_wait();
  work(0);
  end_.arrive_and_wait();
}

void ThreadTeam::help(int member) {
  while (true) {
    begin_.arrive_and_wait();
    if (work_ == nullptr) return;
    (*work_)(member);
    end_.arrive_and_wait();
  }
}

}  // namespace slicepool::bench
