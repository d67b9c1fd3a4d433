// Integers of any size, and arrays that own what the library made, between C++ and Python.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <boost/multiprecision/cpp_int.hpp>

namespace slicepool::python {

namespace nb = nanobind;

/// Python's integer of decimal digits.
inline nb::object integerOf(const std::string& digits) {
  PyObject* value = PyLong_FromString(digits.c_str(), nullptr, 10);
  if (value == nullptr) nb::raise_python_error();
  return nb::steal(value);
}

inline nb::object integerOf(const boost::multiprecision::cpp_int& value) {
  if (value >= 0 && value <= std::numeric_limits<std::uint64_t>::max())
    return nb::steal(PyLong_FromUnsignedLongLong(static_cast<std::uint64_t>(value)));
  return integerOf(value.str());
}

/// A nonnegative integer of Python. The caller has looked at its sign.
inline boost::multiprecision::cpp_int wideOf(const nb::int_& value) {
  const unsigned long long word = PyLong_AsUnsignedLongLong(value.ptr());
  if (PyErr_Occurred() == nullptr) return word;
  PyErr_Clear();
  return boost::multiprecision::cpp_int(nb::str(value).c_str());
}

inline nb::dlpack::dtype unsignedType(unsigned bytes) {
  return {static_cast<std::uint8_t>(nb::dlpack::dtype_code::UInt), static_cast<std::uint8_t>(8 * bytes), 1};
}

/// A NumPy array on the memory of `owner`, which lives as long as the array.
template <class Owner>
nb::object arrayOver(std::unique_ptr<Owner> owner, void* data, const std::vector<std::size_t>& shape,
                     nb::dlpack::dtype type) {
  const nb::capsule capsule(owner.get(), [](void* kept) noexcept { delete static_cast<Owner*>(kept); });
  (void)owner.release();
  return nb::cast(nb::ndarray<nb::numpy>(data, shape.size(), shape.data(), capsule, nullptr, type));
}

/// The same of a vector.
template <class Element>
nb::object arrayOf(std::vector<Element> values, const std::vector<std::size_t>& shape) {
  auto owner = std::make_unique<std::vector<Element>>(std::move(values));
  void* data = owner->data();
  return arrayOver(std::move(owner), data, shape, nb::dtype<Element>());
}

}  // namespace slicepool::python
