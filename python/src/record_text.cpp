// See record_text.hpp.
#include "record_text.hpp"

#include <algorithm>

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"
#include "cpu_workers/core/setup_stop.hpp"

namespace slicepool::python {
namespace {

namespace nb = nanobind;
using namespace nb::literals;

constexpr std::size_t kEntriesOfPiece = std::size_t{1} << 13;  // milliseconds to write and to read

std::string pieceOf(const config::Json& list, std::size_t begin) {
  const std::size_t end = std::min(begin + kEntriesOfPiece, list.size());
  std::string text;
  for (std::size_t i = begin; i < end; ++i) text += (i == begin ? "[" : ",") + list[i].dump();
  return text + "]";
}

}  // namespace

RecordText::RecordText(config::Json record) {
  for (const auto& member : record.items()) {
    config::Json& list = member.value();
    if (!list.is_array() || list.size() <= kEntriesOfPiece) continue;
    for (std::size_t begin = 0; begin < list.size(); begin += kEntriesOfPiece) {
      checkSetup();
      members_.push_back(member.key());
      pieces_.push_back(pieceOf(list, begin));
    }
    list = config::Json::array();
  }
  head_ = record.dump();
}

void bindRecordText(nb::module_& module) {
  nb::class_<RecordText>(module, "RecordText")
      .def_prop_ro("head", &RecordText::head)
      .def_prop_ro("members", &RecordText::members)
      .def("piece", &RecordText::piece, "i"_a);
}

}  // namespace slicepool::python
