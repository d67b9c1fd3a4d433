// What a hub that a test scripts leaves out: results, the shared word, traces. Its warning is kept, and a
// failure of its worker is one of the test.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>

#include "slicepool/detail/worker.hpp"

namespace slicepool::test {

class QuietHub : public Hub {
 public:
  void decide() override {}
  void warn(const std::string& message) override { warning = message; }
  void fail(std::exception_ptr error) override { std::rethrow_exception(error); }
  void consume(const std::byte*, std::size_t) override {}
  std::uint64_t exchangeShared(std::uint64_t value) override { return value; }
  [[nodiscard]] bool tracing() const override { return false; }

  std::string warning;
};

}  // namespace slicepool::test
