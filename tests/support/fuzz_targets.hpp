// Every reader of bytes that come from outside, as a function that takes any bytes: what it reads it must be
// able to write and read again, what it refuses it refuses with an Error of this library. Called by
// tests/fuzz (libFuzzer) and, over seeds and mutations of them, by tests/unit.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <string>

#include <nlohmann/json.hpp>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "runtime/cluster/lease.hpp"
#include "runtime/cluster/part.hpp"
#include "runtime/cluster/plan.hpp"
#include "runtime/core/checkpoint.hpp"
#include "runtime/factorizations/manifest.hpp"
#include "runtime/factorizations/manifest_check.hpp"
#include "runtime/factorizations/window_checkpoint.hpp"
#include "runtime/io/sealed_json.hpp"
#include "runtime/lattice/integer_basis.hpp"
#include "runtime/lattice/lattice_line.hpp"
#include "runtime/lattice/pruning.hpp"
#include "runtime/lattice/target_input.hpp"
#include "runtime/numerical_semigroups/semigroup_files.hpp"
#include "runtime/semigroup/generators.hpp"
#include "runtime/three_in_line/shard_record.hpp"
#include "slicepool/core/error.hpp"
#include "support/temporary_folder.hpp"

namespace slicepool::fuzz {

/// A property that does not hold. No Error: nothing takes it for a refusal.
struct Broken : std::logic_error {
  using std::logic_error::logic_error;
};

inline void require(bool holds, const char* what) {
  if (!holds) throw Broken(what);
}

/// Runs `read`; an Error of this library is a refusal and fine, any other exception goes on.
template <class Read>
void mayRefuse(Read&& read) {
  try {
    read();
  } catch (const Error&) {}
}

/// A file with these bytes, in a folder that lives as long as the process.
inline std::string fileWith(const std::string& bytes) {
  static const test::TemporaryFolder folder;
  const std::string path = folder.path("input");
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

/// With the seal that it should have, if it looks like an object: the code behind the seal is to be tried
/// too.
inline std::string sealedText(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(" \n");
  const std::size_t end = text.find_last_not_of(" \n");
  if (end == std::string::npos || end < begin + 4 || text[begin] != '{' || text[end] != '}') return text;
  // Without the seal that it has.
  const std::size_t old = isSealed(text) ? text.rfind(',') : std::string::npos;
  return sealJson(old == std::string::npos ? text.substr(0, end + 1) : text.substr(0, old) + "\n}\n");
}

inline void latticeBasis(const std::string& text) {
  mayRefuse([&] {
    const auto basis = lattice::parseBasis(text, "basis");
    require(lattice::parseBasis(lattice::basisText(basis), "again") == basis, "a basis that changes as text");
  });
}

/// A line of a file of many lattices. What is accepted is JSON, and says the same to a general reader of it.
inline void latticeLine(const std::string& text) {
  mayRefuse([&] {
    lattice::LatticeLine line;
    lattice::parseLatticeLine(text, line);
    const lattice::GivenLattice& given = line.lattice;
    // What no search takes may be what the general reader does not take, 1e999.
    if (!given.targetText.empty()) (void)lattice::parseTarget(given.targetText, "target");
    const auto json = nlohmann::json::parse(text, nullptr, false);
    require(!json.is_discarded(), "a line that is no JSON");
    require(line.id.empty() == !json.contains("id"), "an id that is not there");
    require(line.id.empty() || nlohmann::json::parse(line.id) == json.at("id"), "another id");
    require(given.squaredRadius.given() == json.contains("squared_radius"), "a radius that is not there");
    require((given.target.empty() && given.targetText.empty()) == !json.contains("target"), "another target");
    for (std::size_t i = 0; i < given.target.size(); ++i)
      require(json.at("target").at(i).is_string() || json.at("target").at(i) == given.target[i],
              "another number");
    if (!json.contains("basis") && !json.contains("gram")) return;
    const auto& rows = json.at(given.gram ? "gram" : "basis");
    require(rows.size() == static_cast<std::size_t>(given.rows), "another number of rows");
    std::size_t at = 0;
    for (const auto& row : rows) {
      require(row.size() == static_cast<std::size_t>(given.columns), "another number of columns");
      for (const auto& entry : row)
        require(!given.text.empty() || entry.get<std::int64_t>() == given.entries.at(at++), "another entry");
    }
    require(given.text.empty() ? at == given.entries.size() : given.entries.empty(), "both kinds of entries");
    if (given.text.empty()) return;
    const auto wide = lattice::parseBasis(given.text, "basis");
    require(wide.dimension == given.rows && wide.columns == given.columns, "a text of another shape");
  });
}

inline void latticePruning(const std::string& text) {
  mayRefuse([&] { (void)lattice::parsePruning(text, 8, "pruning"); });
}

inline void semigroupGenerators(const std::string& text) {
  mayRefuse([&] {
    const auto generators = semigroup::parseGenerators(text, "generators");
    require(!generators.images.empty(), "no generators");
    for (const auto& images : generators.images) {
      require(images.size() == generators.points, "images of another number of points");
      for (const auto image : images) require(image < generators.points, "an image that is no point");
    }
  });
  mayRefuse([&] { (void)semigroup::readGenerators(fileWith(text)); });
}

/// As it is, and with the hash that it should have: the code behind the hash is to be tried too.
inline void checkpoint(const std::string& bytes) {
  std::string hashed = bytes;
  const std::uint64_t hash = XXH3_64bits(hashed.data(), hashed.size());
  hashed.append(reinterpret_cast<const char*>(&hash), sizeof hash);
  for (const std::string& each : {bytes, hashed}) {
    mayRefuse([&] {
      const std::string path = fileWith(each);
      const Checkpoint found = readCheckpoint(path);
      writeCheckpoint(path, found);
      const Checkpoint again = readCheckpoint(path);
      require(again.slices == found.slices && again.words == found.words && again.consumer == found.consumer,
              "a checkpoint that changes when it is written again");
    });
  }
}

inline void windowCheckpoint(const std::string& text) {
  for (const std::string& each : {text, sealedText(text)}) {
    mayRefuse([&] { (void)factorizations::readWindowCheckpoint(fileWith(each), "identity"); });
    mayRefuse([&] { (void)factorizations::isWindowCheckpoint(fileWith(each)); });
  }
}

inline void manifest(const std::string& text) {
  for (const std::string& each : {text, sealedText(text)}) {
    mayRefuse([&] {
      const std::string path = fileWith(each);
      const auto found = factorizations::readManifest(path);
      // The counting table of a large element is right, and takes long.
      if (found.element < 100'000 && found.generators.size() < 8) (void)factorizations::verifyManifest(path);
      factorizations::writeManifest(path, found);
      require(factorizations::readManifest(path).shards.size() == found.shards.size(),
              "a manifest that changes when it is written again");
    });
  }
}

inline void shardRecord(const std::string& text) {
  for (const std::string& each : {text, sealedText(text)}) {
    mayRefuse([&] {
      const std::string path = fileWith(each);
      const auto found = three_in_line::readShardRecord(path);
      three_in_line::writeShardRecord(path, found);
      require(three_in_line::readShardRecord(path).findings == found.findings,
              "a record that changes when it is written again");
      (void)three_in_line::mergeShardRecords({path});
    });
  }
}

inline void plan(const std::string& text) {
  for (const std::string& each : {text, sealedText(text)}) {
    mayRefuse([&] {
      const std::string path = fileWith(each);
      cluster::Plan found = cluster::readPlan(path);
      cluster::writePlan(path, found);
      const cluster::Plan again = cluster::readPlan(path);
      require(again.config == found.config && again.shards.size() == found.shards.size() &&
                  again.hash == found.hash,
              "a plan that changes when it is written again");
    });
  }
}

inline void part(const std::string& text) {
  for (const std::string& each : {text, sealedText(text)}) {
    mayRefuse([&] {
      const std::string path = fileWith(each);
      const cluster::Part found = cluster::readPart(path);
      cluster::writePart(path, found);
      require(cluster::readPart(path).record == found.record, "a part that changes when it is written again");
    });
  }
}

/// Whatever is in it, a lease is there: it is held, or stale.
inline void lease(const std::string& text) {
  require(cluster::lookAtLease(fileWith(text)).state != cluster::LeaseState::none,
          "a lease that is not there");
}

/// Lists of shards of numerical semigroups: .npy of sets of gaps.
inline void gapList(const std::string& bytes) {
  const numerical_semigroups::RowShape shape{numerical_semigroups::RowKind::gaps, 13, 3};
  const std::string path = fileWith(bytes);
  mayRefuse([&] {
    const auto found = numerical_semigroups::readGaps(path, shape);
    (void)numerical_semigroups::writeSemigroups(found, shape, path + ".npy");
    require(numerical_semigroups::readGaps(path + ".npy", shape) == found,
            "a list of gaps that changes when it is written again");
  });
}

}  // namespace slicepool::fuzz
