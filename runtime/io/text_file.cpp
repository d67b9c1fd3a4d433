// See text_file.hpp.
#include "runtime/io/text_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include <fmt/format.h>

#include "runtime/io/descriptor.hpp"
#include "runtime/io/shown.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool {
std::string readTextFile(const std::string& path, const std::string& field, const std::string& accepted,
                         std::uint64_t most) {
  const auto refuse = [&](const std::string& why) {
    const std::string what = field == path ? "a file that cannot be read" : inQuotes(path, 200);
    throw ConfigError(shown(field, 200), what + " (" + why + ")", accepted);
  };
  if (path.find('\0') != std::string::npos) refuse("a name with a zero byte");
  const Descriptor file(path, O_RDONLY);
  if (file.get() < 0) refuse(std::generic_category().message(errno));
  struct stat status {};
  if (fstat(file.get(), &status) != 0) refuse(std::generic_category().message(errno));
  const auto tooLarge = [&] { refuse(fmt::format("more than {} bytes", most)); };
  if (S_ISDIR(status.st_mode)) refuse("a folder");
  if (S_ISREG(status.st_mode) && static_cast<std::uint64_t>(status.st_size) > most) tooLarge();
  std::string text;
  char block[1 << 16];
  for (;;) {
    const ssize_t got = read(file.get(), block, sizeof block);
    if (got == 0) return text;
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) refuse(std::generic_category().message(errno));
    text.append(block, static_cast<std::size_t>(got));
    if (text.size() > most) tooLarge();
  }
}

}  // namespace slicepool
