// See npy_header.hpp.
#include "runtime/io/npy_header.hpp"

#include <algorithm>

namespace slicepool {
namespace {

constexpr std::size_t kAlignment = 64;
constexpr std::size_t kPreambleBytes = 10;  // magic (6), version (2), header length (2)

}  // namespace

std::string npyHeader(std::string_view type, std::uint64_t rows, std::uint64_t columns,
                      std::size_t minimumBytes) {
  std::string text = "{'descr': '" + std::string(type) + "', 'fortran_order': False, 'shape': (" +
                     std::to_string(rows) + ", " + std::to_string(columns) + "), }";
  const std::size_t unpadded = std::max(kPreambleBytes + text.size() + 1, minimumBytes);
  const std::size_t total = (unpadded + kAlignment - 1) / kAlignment * kAlignment;
  text.append(total - kPreambleBytes - text.size() - 1, ' ');
  text += '\n';
  std::string header = "\x93NUMPY";
  header += '\x01';
  header += '\0';
  header += static_cast<char>(text.size() & 0xff);
  header += static_cast<char>(text.size() >> 8);
  return header + text;
}

}  // namespace slicepool
