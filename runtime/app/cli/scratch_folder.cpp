// See scratch_folder.hpp.
#include "runtime/app/cli/scratch_folder.hpp"

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>

#include "runtime/io/shown.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::cli {
namespace {

std::string systemFolder() {
  std::error_code error;
  const auto folder = std::filesystem::temp_directory_path(error);
  return error ? "/tmp" : folder.string();
}

}  // namespace

ScratchFolder::ScratchFolder(std::string parent)
    : parent_(parent.empty() ? systemFolder() : std::move(parent)) {}

const std::string& ScratchFolder::path() {
  if (!path_.empty()) return path_;
  std::string pattern = (std::filesystem::path(parent_) / "slicepool-recount-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) {
    throw ConfigError("--scratch", inQuotes(parent_) + ": " + std::generic_category().message(errno),
                      "a folder in which files can be made");
  }
  path_ = std::move(pattern);
  return path_;
}

void ScratchFolder::remove() noexcept {
  if (path_.empty()) return;
  std::error_code error;
  std::filesystem::remove_all(path_, error);
  path_.clear();
}

}  // namespace slicepool::cli
