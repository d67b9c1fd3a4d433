// The main function of every doctest program. Exit status 77 tells CTest that something was skipped, for want
// of a GPU for example, and nothing failed.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include "support/skip.hpp"

int main(int argc, char** argv) {
  const int status = doctest::Context(argc, argv).run();
  constexpr int kSkipped = 77;
  return status == 0 && slicepool::test::someWereSkipped ? kSkipped : status;
}
