// A .npy file whose number of rows is known before they are: header and rows are written at their places, by
// several threads. Used by the outputs of integer_points and numerical_semigroups.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "runtime/io/npy_header.hpp"
#include "runtime/io/part_file.hpp"

namespace slicepool {

class NpyPart {
 public:
  /// `type` as npyHeader() takes it. Throws LimitError when the disk is short of it.
  NpyPart(const std::string& path, std::string_view type, std::uint64_t rows, std::uint64_t columns)
      : header_(npyHeader(type, rows, columns)),
        rowBytes_(columns * static_cast<std::uint64_t>(type.back() - '0')),
        bytes_(header_.size() + rows * rowBytes_),
        file_(PartFile::create(path, bytes_)) {
    file_.write(0, std::as_bytes(std::span(header_)));
  }

  /// Any thread: whole rows from number `row` on. Throws LimitError when the disk is full, Error otherwise.
  void write(std::uint64_t row, std::span<const std::byte> rows) const {
    file_.write(header_.size() + row * rowBytes_, rows);
  }
  /// The bytes of the file, which has its name now and is on the disk. Throws as above.
  std::uint64_t publish() {
    file_.publishDurably();
    return bytes_;
  }

 private:
  std::string header_;
  std::uint64_t rowBytes_;
  std::uint64_t bytes_;
  PartFile file_;
};

}  // namespace slicepool
