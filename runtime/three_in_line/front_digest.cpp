// See front_digest.hpp.
#include "runtime/three_in_line/front_digest.hpp"

#include "runtime/app/config/json.hpp"
#include "runtime/io/regular_file.hpp"
#include "runtime/io/sealed_json.hpp"

namespace slicepool::config {

std::string threeInLineDigest(const std::string& path) {
  Json record = openSealed(readRegularFile(path));
  for (const char* how : {"seconds", "algorithm"}) record.erase(how);
  return documentHash(record);
}

}  // namespace slicepool::config
