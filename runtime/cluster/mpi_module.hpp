// The ranks of an MPI job. The program itself needs no MPI: the module libslicepool_mpi.so does
// (mpi/transport.cpp), and it is opened when it is asked for.
#pragma once

#include <memory>
#include <string>

#include "runtime/cluster/transport.hpp"

namespace slicepool::cluster {

/// What the module defines: makes the transport, which ends MPI when it is deleted; null: `error` says why.
/// Both sides are of one build.
using OpenMpi = Transport* (*)(const char* version, std::string* error);
inline constexpr const char* kOpenMpiSymbol = "slicepool_open_mpi";
inline constexpr const char* kMpiModule = "libslicepool_mpi.so";

/// Opens the module: the file $SLICEPOOL_MPI_MODULE, or the one in ../lib/slicepool beside the folder of the
/// program, or where the system looks. Once in a process, by the thread that will use it. Throws ConfigError
/// with what was tried when there is none, or when it cannot be used.
[[nodiscard]] std::shared_ptr<Transport> openMpi();
/// The module that would be opened first and is there; empty: only the system's own search is left.
[[nodiscard]] std::string foundMpiModule();

}  // namespace slicepool::cluster
