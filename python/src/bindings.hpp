// The parts of the extension slicepool._slicepool, one for each source. Called by module.cpp.
#pragma once

#include <nanobind/nanobind.h>

namespace slicepool::python {

void bindErrors(nanobind::module_& module);
void bindConfigurations(nanobind::module_& module);
void bindDeviceRows(nanobind::module_& module);
void bindFactorizations(nanobind::module_& module);
void bindThreeInLine(nanobind::module_& module);
void bindNumericalSemigroups(nanobind::module_& module);
void bindFplll(nanobind::module_& module);
void bindLattice(nanobind::module_& module);
void bindIntegerPoints(nanobind::module_& module);
void bindRecordText(nanobind::module_& module);
void bindSemigroup(nanobind::module_& module);
void bindSession(nanobind::module_& module);
void bindSource(nanobind::module_& module);
void bindTableJob(nanobind::module_& module);

}  // namespace slicepool::python
