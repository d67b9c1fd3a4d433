// See failure.hpp.
#include "runtime/app/cli/failure.hpp"

#include <new>
#include <system_error>

#include <spdlog/spdlog.h>

#include "runtime/app/cli/commands.hpp"
#include "runtime/io/shown.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::cli {
namespace {

/// Messages quote values and paths up to this length.
constexpr std::size_t kMaximumMessageLength = 1500;

}  // namespace

Failure failureOf(const std::exception_ptr& exception) {
  try {
    std::rethrow_exception(exception);
  } catch (const ConfigError& error) {
    return {shown(error.what(), kMaximumMessageLength), error.exitCode(), error.field()};
  } catch (const Error& error) {
    return {shown(error.what(), kMaximumMessageLength), error.exitCode()};
  } catch (const std::bad_alloc&) {
    return {"memory: the system refused an allocation; lower --memory-limit or ask for less", kLimit};
  } catch (const std::system_error& error) {
    if (error.code() == std::errc::resource_unavailable_try_again)
      return {std::string("threads: the system refused one; lower --threads: ") + error.what(), kLimit};
    return {error.what(), kFailed};
  } catch (const std::exception& error) {
    return {shown(error.what(), kMaximumMessageLength), kFailed};
  }
}

int reportFailure(const std::exception_ptr& error, const std::string& prefix) {
  const Failure failure = failureOf(error);
  spdlog::error("{}{}", prefix, failure.text);
  return failure.exitCode;
}

int exitCodeOf(const std::exception_ptr& error) { return failureOf(error).exitCode; }

}  // namespace slicepool::cli
