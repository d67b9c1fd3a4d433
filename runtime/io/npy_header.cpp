// See npy_header.hpp.
#include "runtime/io/npy_header.hpp"

#include <algorithm>
#include <charconv>
#include <span>

#include "runtime/io/regular_file.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool {
namespace {

constexpr std::size_t kAlignment = 64;
constexpr std::size_t kPreambleBytes = 10;  // magic (6), version (2), header length (2)

std::string textOfFile(const RegularFile& file, std::uint64_t end) {
  std::string text;
  file.read(0, end, [&](std::span<const std::byte> piece) {
    text.append(reinterpret_cast<const char*>(piece.data()), piece.size());
  });
  return text;
}

std::uint64_t rowsOfHeader(const std::string& header) {
  constexpr std::string_view kShape = "'shape': (";
  const std::size_t shape = header.find(kShape);
  std::uint64_t rows = 0;
  if (shape == std::string::npos) throw Error("has no shape in its header");
  const char* begin = header.data() + shape + kShape.size();
  if (std::from_chars(begin, header.data() + header.size(), rows).ec != std::errc{})
    throw Error("has no number of rows in its header");
  return rows;
}

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

NpyHead readNpyHead(const RegularFile& file) {
  if (file.bytes() < kPreambleBytes) throw Error("is no .npy");
  const std::string preamble = textOfFile(file, kPreambleBytes);
  const std::uint64_t bytes = kPreambleBytes + static_cast<unsigned char>(preamble[8]) +
                              std::uint64_t{256} * static_cast<unsigned char>(preamble[9]);
  if (!preamble.starts_with("\x93NUMPY") || file.bytes() < bytes) throw Error("is no .npy");
  NpyHead head;
  head.text = textOfFile(file, bytes);
  head.rows = rowsOfHeader(head.text);
  return head;
}

}  // namespace slicepool
