// See accept_library.hpp.
#include "runtime/lattice/accept_library.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <mutex>
#include <vector>

#include <fmt/format.h>

#include "runtime/io/regular_file.hpp"
#include "slicepool/accept.h"
#include "slicepool/core/error.hpp"

namespace slicepool::lattice {
namespace {

constexpr const char* kLibrary = "a shared library with the functions of slicepool/accept.h";

[[noreturn]] void refuseLibrary(const std::string& path, const std::string& why) {
  throw ConfigError("accept", fmt::format("\"{}\" ({})", path, why), kLibrary);
}

/// "[1 -2 3]" has three.
std::uint64_t elementsIn(const std::string& text) {
  return static_cast<std::uint64_t>(std::count(text.begin(), text.end(), ' ')) + 1;
}

}  // namespace

class AcceptLibrary::Impl {
 public:
  explicit Impl(const std::string& path) : path_(path) {
    // Without a slash the loader would look in its own places.
    const std::string name = path.find('/') == std::string::npos ? "./" + path : path;
    void* const library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) refuseLibrary(path, dlerror());
    const auto version =
        reinterpret_cast<decltype(&slicepool_accept_version)>(find(library, "slicepool_accept_version"));
    if (const std::int32_t got = version(); got != SLICEPOOL_ACCEPT_VERSION)
      refuseLibrary(path, fmt::format("version {}, not {}", got, SLICEPOOL_ACCEPT_VERSION));
    accept_ = reinterpret_cast<decltype(accept_)>(find(library, "slicepool_accept"));
    try {
      identity_ = hashOfFile(RegularFile(name));
    } catch (const Error& error) {
      refuseLibrary(path, error.what());
    }
    requireFirst(library);
  }

  [[nodiscard]] const std::string& identity() const { return identity_; }

  [[nodiscard]] bool accepts(std::uint64_t target, const std::string& squaredNorm,
                             const std::vector<std::int64_t>& vector, const std::string& text) const {
    slicepool_candidate candidate{};
    candidate.target = target;
    const bool narrow = !vector.empty();
    candidate.length = narrow ? vector.size() : elementsIn(text);
    candidate.vector = narrow ? vector.data() : nullptr;
    candidate.text = narrow ? nullptr : text.c_str();
    candidate.squared_norm = squaredNorm.c_str();
    const std::int32_t answer = accept_(&candidate);
    if (answer < 0) throw Error(fmt::format("accept: \"{}\" returned the error {}", path_, answer));
    return answer != 0;
  }

 private:
  /// The loader knows a library by its name: in the place of another one it would not be loaded.
  void requireFirst(void* library) const {
    static std::mutex mutex;
    static std::map<void*, std::string> loaded;
    const std::lock_guard lock(mutex);
    if (loaded.try_emplace(library, identity_).first->second != identity_) {
      throw ConfigError("accept",
                        fmt::format("\"{}\", which has changed since this process loaded it", path_),
                        "the library as it was, one of another name, or a process that begins anew");
    }
  }

  void* find(void* library, const char* function) const {
    void* const found = dlsym(library, function);
    if (found == nullptr) refuseLibrary(path_, fmt::format("without {}", function));
    return found;
  }

  std::string path_;
  std::string identity_;
  decltype(&slicepool_accept) accept_ = nullptr;
};

AcceptLibrary::AcceptLibrary(const std::string& path) : impl_(std::make_shared<const Impl>(path)) {}

const std::string& AcceptLibrary::identity() const { return impl_->identity(); }

std::function<bool(const Solution&)> AcceptLibrary::ofOne() const {
  return [impl = impl_](const Solution& found) {
    return impl->accepts(0, found.squaredNorm, found.vector, found.text);
  };
}

std::function<bool(std::uint64_t, const LatticeVector&)> AcceptLibrary::ofMany() const {
  return [impl = impl_](std::uint64_t target, const LatticeVector& found) {
    return impl->accepts(target, found.squaredNorm, found.vector, found.text);
  };
}

}  // namespace slicepool::lattice
