// Where the time of a worker went: when it was ready, its first and last turn, exchanges and waiting.
#include <doctest/doctest.h>

#include "slicepool/detail/worker.hpp"

using slicepool::TraceSpan;
using slicepool::WorkerAccount;

TEST_CASE("spans are booked by what they were for; the first and the last turn or launch stay") {
  WorkerAccount account;
  book(account, {TraceSpan::Kind::idle, 5, 10, 0, 0});
  book(account, {TraceSpan::Kind::upload, 15, 3, 0, 7});
  CHECK(account.firstAt == -1);
  CHECK(account.lastAt == -1);
  book(account, {TraceSpan::Kind::launch, 20, 30, 100, 7});
  book(account, {TraceSpan::Kind::commit, 50, 4, 0, 7});
  book(account, {TraceSpan::Kind::give, 54, 2, 0, 3});
  book(account, {TraceSpan::Kind::turn, 60, 15, 100, 1});
  book(account, {TraceSpan::Kind::idle, 80, 100, 0, 0});
  CHECK(account.waitingNanoseconds == 110);
  CHECK(account.exchangeNanoseconds == 9);
  CHECK(account.firstAt == 20);
  CHECK(account.lastAt == 75);
}
