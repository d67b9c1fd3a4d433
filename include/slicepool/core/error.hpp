// Every exception the library throws. What was wrong, where, and what would be accepted.
#pragma once

#include <stdexcept>
#include <string>

namespace slicepool {

/// Base of all slicepool exceptions. `exitCode` is what the command line returns for it.
class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& message) : std::runtime_error(message) {}
  [[nodiscard]] virtual int exitCode() const noexcept { return 1; }
};

/// Bad input: names the field, the value found and what is accepted.
class ConfigError : public Error {
 public:
  ConfigError(std::string field, const std::string& value, const std::string& accepted)
      : Error(field + ": got " + value + "; accepted: " + accepted), field_(std::move(field)) {}
  [[nodiscard]] int exitCode() const noexcept override { return 2; }
  [[nodiscard]] const std::string& field() const noexcept { return field_; }

 private:
  std::string field_;
};

/// The mode asked for needs a device that is not there, or is not usable.
class DeviceError : public Error {
 public:
  using Error::Error;
  [[nodiscard]] int exitCode() const noexcept override { return 3; }
};

/// A CUDA call failed. `code` is the numeric cudaError_t.
class CudaError : public DeviceError {
 public:
  CudaError(const std::string& call, const std::string& what, int code)
      : DeviceError(call + ": " + what), code_(code) {}
  [[nodiscard]] int code() const noexcept { return code_; }

 private:
  int code_;
};

/// Memory or disk is short for what was asked; says how much is needed and how much there is.
class LimitError : public Error {
 public:
  using Error::Error;
  [[nodiscard]] int exitCode() const noexcept override { return 4; }
};

/// A checkpoint cannot be written, read, or does not belong to this problem.
class CheckpointError : public Error {
 public:
  using Error::Error;
  [[nodiscard]] int exitCode() const noexcept override { return 2; }
};

}  // namespace slicepool
