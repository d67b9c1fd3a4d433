// Ranks of an MPI job: the module that the program opens for `--cluster mpi` (../mpi_module.hpp), and the
// only code that needs an MPI. One thread calls it, the one that opened it (MPI_THREAD_FUNNELED).
#include <mpi.h>
#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <list>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <utility>

#include "runtime/cluster/mpi_module.hpp"
#include "runtime/cluster/transport.hpp"
#include "slicepool/build_info.hpp"
#include "slicepool/core/error.hpp"

#if defined(OMPI_HAVE_MPI_EXT_FTMPI)
#define SLICEPOOL_HAVE_ULFM 1
#endif

namespace slicepool::cluster {
namespace {

/// MPI counts bytes in an int.
constexpr std::size_t kMaximumPart = std::size_t{1} << 30;
constexpr int kPartFollows = 1;  ///< tags
constexpr int kLastPart = 0;

/// User-level failure mitigation is compiled in by every Open MPI 5, and is on when mpirun was told so
/// (--with-ft ulfm). MPICH has the names without the service.
bool mitigatesFailures() {
  bool on = false;
#ifdef SLICEPOOL_HAVE_ULFM
  int provided = 0;
  if (MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) != MPI_SUCCESS) return false;
  int index = 0;
  MPI_T_cvar_handle handle{};
  int count = 0;
  // MPI says a boolean is an int.
  int value = 0;
  if (MPI_T_cvar_get_index("mpi_ft_enable", &index) == MPI_SUCCESS &&
      MPI_T_cvar_handle_alloc(index, nullptr, &handle, &count) == MPI_SUCCESS) {
    on = count == 1 && MPI_T_cvar_read(handle, &value) == MPI_SUCCESS && value != 0;
    MPI_T_cvar_handle_free(&handle);
  }
  MPI_T_finalize();
#endif
  return on;
}

class MpiTransport final : public Transport {
 public:
  MpiTransport() {
    int provided = MPI_THREAD_SINGLE;
    if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS)
      throw Error("MPI_Init_thread failed");
    if (provided < MPI_THREAD_FUNNELED)
      throw Error("this MPI was built without threads (MPI_THREAD_FUNNELED); take another one");
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
    sent_.assign(static_cast<std::size_t>(ranks_), 0);
    received_ = sent_;
    outlives_ = mitigatesFailures();
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine_);
    if (outlives_) MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  }
  ~MpiTransport() override {
    receiveTheRest();
    MPI_Comm_free(&machine_);
    MPI_Finalize();
  }
  MpiTransport(const MpiTransport&) = delete;
  MpiTransport& operator=(const MpiTransport&) = delete;

  [[nodiscard]] int rank() const override { return rank_; }
  [[nodiscard]] int ranks() const override { return ranks_; }
  [[nodiscard]] bool outlivesRanks() const override { return outlives_; }

  void send(int rank, std::vector<std::byte> bytes) override {
    complete();
    if (lost_.contains(rank)) return;
    Sending& sending = sending_.emplace_back(Sending{rank, std::move(bytes), {}});
    for (std::size_t at = 0; at == 0 || at < sending.bytes.size(); at += kMaximumPart) {
      const std::size_t size = std::min(kMaximumPart, sending.bytes.size() - at);
      const bool last = at + size == sending.bytes.size();
      MPI_Request request = MPI_REQUEST_NULL;
      if (MPI_Isend(sending.bytes.data() + at, static_cast<int>(size), MPI_BYTE, rank,
                    last ? kLastPart : kPartFollows, MPI_COMM_WORLD, &request) == MPI_SUCCESS) {
        sending.requests.push_back(request);
        ++sent_[static_cast<std::size_t>(rank)];
      }
    }
  }

  [[nodiscard]] std::optional<Received> receive() override {
    complete();
    for (;;) {
      int there = 0;
      MPI_Message message = MPI_MESSAGE_NULL;
      MPI_Status status{};
      if (MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &there, &message, &status) !=
          MPI_SUCCESS) {
        // A death that is not acknowledged stops receives from any source.
        acknowledge();
        return std::nullopt;
      }
      if (there == 0) return std::nullopt;
      int size = 0;
      MPI_Get_count(&status, MPI_BYTE, &size);
      auto& whole = parts_[status.MPI_SOURCE];
      const std::size_t before = whole.size();
      whole.resize(before + static_cast<std::size_t>(size));
      MPI_Status received{};
      if (MPI_Mrecv(whole.data() + before, size, MPI_BYTE, &message, &received) != MPI_SUCCESS) {
        whole.clear();  // the sender died
        continue;
      }
      ++received_[static_cast<std::size_t>(status.MPI_SOURCE)];
      if (status.MPI_TAG == kPartFollows) continue;
      return Received{status.MPI_SOURCE, std::exchange(whole, {})};
    }
  }

  [[nodiscard]] std::vector<int> takeLost() override {
    acknowledge();
    return std::exchange(newlyLost_, {});
  }

  void giveUp(int rank) override {
    if (lost_.insert(rank).second) gaveUp_ = true;  // else it is dead
  }

  void flush() override {
    while (!sending_.empty()) {
      complete();
      if (!sending_.empty()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }

  [[nodiscard]] int worst(int code, int& rank) override {
    struct {
      int code, rank;
    } own{code, rank_}, all{code, rank_};
    MPI_Allreduce(&own, &all, 1, MPI_2INT, MPI_MAXLOC, MPI_COMM_WORLD);
    rank = all.rank;
    return all.code;
  }

  [[nodiscard]] Neighbours neighbours() override {
    Neighbours found;
    MPI_Comm_size(machine_, &found.count);
    MPI_Comm_rank(machine_, &found.place);
    return found;
  }

  [[nodiscard]] bool sameOnMachine(std::uint64_t value) override {
    std::uint64_t least = value;
    std::uint64_t most = value;
    MPI_Allreduce(&value, &least, 1, MPI_UINT64_T, MPI_MIN, machine_);
    MPI_Allreduce(&value, &most, 1, MPI_UINT64_T, MPI_MAX, machine_);
    return least == most;
  }

  void leave(int exitCode) override {
    // MPI_Finalize would wait for it, in all ranks, and so would mpirun.
    if (gaveUp_) abort(exitCode);
    if (!outlives_) return;  // the destructor does what MPI asks for
    // Where ranks have died, MPI_Finalize waits for them now and then (Open MPI 5.0), also in a rank that has
    // not heard of a death. mpirun takes a process for well that ends with 0.
    std::fflush(nullptr);
    std::_Exit(exitCode);
  }

  [[noreturn]] void abort(int exitCode) override {
    std::fflush(nullptr);
    MPI_Abort(MPI_COMM_WORLD, exitCode);
    std::_Exit(exitCode);
  }

 private:
  struct Sending {
    int rank = 0;
    std::vector<std::byte> bytes;
    std::vector<MPI_Request> requests;
  };

  /// Repetitions that no rank waits for any more. MPI asks that every message is received before
  /// MPI_Finalize, and MPICH ends the job with an error where one is not. All ranks call it.
  void receiveTheRest() {
    std::vector<int> expected(sent_.size(), 0);
    MPI_Request told = MPI_REQUEST_NULL;
    MPI_Ialltoall(sent_.data(), 1, MPI_INT, expected.data(), 1, MPI_INT, MPI_COMM_WORLD, &told);
    int done = 0;
    while (done == 0 || received_ != expected || !sending_.empty()) {
      // The others may wait for their large messages to be received before they tell.
      if (!receive()) std::this_thread::sleep_for(std::chrono::microseconds(100));
      if (done == 0) MPI_Test(&told, &done, MPI_STATUS_IGNORE);
    }
  }

  /// Lets go of what has been sent, or never will be: to the dead.
  void complete() {
    std::erase_if(
        sending_,
        [this](Sending& sending) {
          std::erase_if(
              sending.requests,
              [](MPI_Request& request) {
                int done = 0;
                return MPI_Test(&request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS || done != 0;
              });
          return sending.requests.empty() || lost_.contains(sending.rank);
        });
  }

  void acknowledge() {
#ifdef SLICEPOOL_HAVE_ULFM
    if (!outlives_) return;
    MPIX_Comm_failure_ack(MPI_COMM_WORLD);
    MPI_Group failed = MPI_GROUP_NULL;
    if (MPIX_Comm_failure_get_acked(MPI_COMM_WORLD, &failed) != MPI_SUCCESS) return;
    MPI_Group world = MPI_GROUP_NULL;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    int count = 0;
    MPI_Group_size(failed, &count);
    for (int i = 0; i < count; ++i) {
      int rank = 0;
      MPI_Group_translate_ranks(failed, 1, &i, world, &rank);
      if (lost_.insert(rank).second) newlyLost_.push_back(rank);
    }
    MPI_Group_free(&failed);
    MPI_Group_free(&world);
#endif
  }

  int rank_ = 0;
  int ranks_ = 1;
  bool outlives_ = false;
  MPI_Comm machine_ = MPI_COMM_NULL;
  std::list<Sending> sending_;
  std::vector<int> sent_, received_;             ///< parts of messages, by rank
  std::map<int, std::vector<std::byte>> parts_;  ///< of messages whose last part has not come
  std::set<int> lost_;
  std::vector<int> newlyLost_;
  bool gaveUp_ = false;  ///< a rank that may be alive
};

}  // namespace
}  // namespace slicepool::cluster

/// See mpi_module.hpp.
extern "C" __attribute__((visibility("default"))) slicepool::cluster::Transport* slicepool_open_mpi(
    const char* version, std::string* error) {
  try {
    if (std::string(version) != slicepool::build::kVersion) {
      *error =
          std::string("it is of slicepool ") + slicepool::build::kVersion + ", the program is " + version;
      return nullptr;
    }
    return new slicepool::cluster::MpiTransport();
  } catch (const std::exception& problem) {
    *error = problem.what();
    return nullptr;
  }
}
