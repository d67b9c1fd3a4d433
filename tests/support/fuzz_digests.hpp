// Logs of digests, and outputs that are digested, as functions of any bytes; see fuzz_targets.hpp. Apart,
// because they need the library of configurations.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include "runtime/app/report/digest_log.hpp"
#include "runtime/lattice/front_digest.hpp"
#include "runtime/three_in_line/front_digest.hpp"
#include "support/fuzz_targets.hpp"

namespace slicepool::fuzz {

inline void digestLog(const std::string& text) {
  for (const std::string& each : {text, sealedText(text)}) {
    mayRefuse([&] {
      const std::string path = fileWith(each);
      const report::DigestLog found = report::readDigestLog(path);
      report::writeDigestLog(path, found);
      const report::DigestLog again = report::readDigestLog(path);
      bool same = again.plan.config == found.plan.config && again.shards.size() == found.shards.size();
      for (std::size_t i = 0; same && i < found.shards.size(); ++i)
        same = report::differencesOf(found.shards[i], again.shards[i]).empty();
      require(same, "a log that changes when it is written again");
    });
  }
}

inline void digestedOutput(const std::string& text) {
  const std::string path = fileWith(text);
  for (const char* suffix : {".npy", ".txt"}) {
    std::error_code error;
    std::filesystem::copy_file(path, path + suffix, std::filesystem::copy_options::overwrite_existing, error);
    mayRefuse([&] { (void)config::latticeDigest(path + suffix); });
  }
  for (const std::string& each : {text, sealedText(text)})
    mayRefuse([&] { (void)config::threeInLineDigest(fileWith(each)); });
}

}  // namespace slicepool::fuzz
