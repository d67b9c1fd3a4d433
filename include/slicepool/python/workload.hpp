// What makes a workload usable from Python: slicepool.Workload.from_source (docs/python.md) includes this
// before the user's text, which ends with SLICEPOOL_PYTHON_WORKLOAD(MyWorkload, n). Needs headers only: the
// engine is in the extension module, which loads what was compiled and runs the problem that it makes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "slicepool/core/error.hpp"
#include "slicepool/core/problem.hpp"
#include "slicepool/detail/batch_device.hpp"
#ifdef SLICEPOOL_PYTHON_CUDA  // by nvcc, with kernels of its own
#include "slicepool/cuda/workload.cuh"
#endif

namespace slicepool::python {

/// A parameter as Python gives it.
struct Number {
  bool real = false;
  std::int64_t integer = 0;
  double value = 0;  ///< when `real`
};

/// What the compiled text gives to the extension module. Both are of the same headers: Python keeps what was
/// compiled under a name that is a hash of them.
class WorkloadFactory {
 public:
  virtual ~WorkloadFactory() = default;
  [[nodiscard]] virtual const char* name() const = 0;
  /// Names of parameters, separated by commas.
  [[nodiscard]] virtual const char* parameters() const = 0;
  /// One number for each parameter. Throws ConfigError, and what the workload's root throws.
  [[nodiscard]] virtual std::unique_ptr<const Problem> make(const std::vector<Number>& numbers) const = 0;
  /// Whether a GPU can run what it makes.
  [[nodiscard]] virtual bool hasKernels() const = 0;
  /// A device for such a problem. Throws DeviceError, CudaError, LimitError.
  [[nodiscard]] virtual std::unique_ptr<BatchDevice> makeDevice(const Problem& problem,
                                                                const DeviceOptions& options) const = 0;
};

template <class T>
void assign(T& member, const Number& number, const std::string& name) {
  static_assert(
      std::is_arithmetic_v<T>,
      "slicepool: a parameter of SLICEPOOL_PYTHON_WORKLOAD must be a member of View that is a number");
  if constexpr (std::is_floating_point_v<T>) {
    member = static_cast<T>(number.real ? number.value : static_cast<double>(number.integer));
  } else {
    constexpr auto kLow = static_cast<std::int64_t>(std::numeric_limits<T>::min());
    constexpr auto kMaximumValue = std::numeric_limits<std::int64_t>::max();
    constexpr auto kMaximumGiven = static_cast<std::uint64_t>(std::numeric_limits<T>::max());
    constexpr auto kHigh = kMaximumGiven > std::uint64_t{kMaximumValue}
                               ? kMaximumValue
                               : static_cast<std::int64_t>(kMaximumGiven);
    if (number.real || number.integer < kLow || number.integer > kHigh) {
      throw ConfigError(name, number.real ? std::to_string(number.value) : std::to_string(number.integer),
                        "an integer from " + std::to_string(kLow) + " to " + std::to_string(kHigh));
    }
    member = static_cast<T>(number.integer);
  }
}

template <class... T>
void assignAll(const std::vector<Number>& numbers, const std::vector<std::string>& names, T&... members) {
  std::size_t at = 0;
  (void)at;
  ((assign(members, numbers.at(at), names.at(at)), ++at), ...);
}

/// "n, m" -> {"n", "m"}.
inline std::vector<std::string> separated(const std::string& text) {
  std::vector<std::string> names;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::size_t first = text.find_first_not_of(' ', begin);
    names.push_back(text.substr(first, text.find_last_not_of(' ', end - 1) + 1 - first));
    begin = end + 1;
  }
  return names;
}

/// `V`: the workload's View, with a function that sets its parameters.
template <class W, class V>
class FactoryOf final : public WorkloadFactory {
 public:
  FactoryOf(const char* name, const char* parameters) : name_(name), parameters_(parameters) {}
  [[nodiscard]] const char* name() const override { return name_; }
  [[nodiscard]] const char* parameters() const override { return parameters_; }
  [[nodiscard]] std::unique_ptr<const Problem> make(const std::vector<Number>& numbers) const override {
    V view{};
    view.set(numbers, separated(parameters_));
    ProblemTraits traits;
    traits.workload = name_;
    return std::make_unique<TypedProblem<W, Count>>(static_cast<const typename W::View&>(view), rootsOf(view),
                                                    std::move(traits));
  }
#ifdef SLICEPOOL_PYTHON_CUDA
  [[nodiscard]] bool hasKernels() const override { return true; }
  [[nodiscard]] std::unique_ptr<BatchDevice> makeDevice(const Problem& problem,
                                                        const DeviceOptions& options) const override {
    // The seat is of the extension's copy of the CUDA part, and this is another one.
    DeviceOptions own = options;
    own.seat.reset();
    return std::make_unique<cuda::CudaDevice<W, Count>>(dynamic_cast<const TypedProblem<W, Count>&>(problem),
                                                        own);
  }
#else
  [[nodiscard]] bool hasKernels() const override { return false; }
  [[nodiscard]] std::unique_ptr<BatchDevice> makeDevice(const Problem&, const DeviceOptions&) const override {
    throw DeviceError("the workload was compiled without kernels");
  }
#endif

 private:
  static std::vector<typename W::Slice> rootsOf(const typename W::View& view) {
    if constexpr (requires { W::roots(view); }) {
      return W::roots(view);
    } else {
      static_assert(
          requires { W::root(view); },
          "slicepool: a workload needs static Slice root(const View&), where the search begins");
      return {W::root(view)};
    }
  }

  const char* name_;
  const char* parameters_;
};

}  // namespace slicepool::python

/// `W`: the workload (slicepool/core/workload.hpp), with `static Slice root(const View&)`, or `roots` that
/// returns a std::vector of slices. Then the members of its View that run() takes by name, which are numbers;
/// other members are as `View{}` has them. At namespace level, once.
#define SLICEPOOL_PYTHON_WORKLOAD(W, ...)                                                        \
  namespace {                                                                                    \
  struct SlicepoolPythonView : W::View {                                                         \
    void set([[maybe_unused]] const std::vector<slicepool::python::Number>& slicepoolNumbers,    \
             [[maybe_unused]] const std::vector<std::string>& slicepoolNames) {                  \
      slicepool::python::assignAll(slicepoolNumbers, slicepoolNames __VA_OPT__(, ) __VA_ARGS__); \
    }                                                                                            \
  };                                                                                             \
  }                                                                                              \
  extern "C" __attribute__((visibility("default"))) const slicepool::python::WorkloadFactory*    \
  slicepoolPythonWorkload() {                                                                    \
    static const slicepool::python::FactoryOf<W, SlicepoolPythonView> factory(#W, #__VA_ARGS__); \
    return &factory;                                                                             \
  }                                                                                              \
  static_assert(true)
