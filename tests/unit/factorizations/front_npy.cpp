// The files that rows go to: .npy headers against the format specification, CSV text, row matrices.
#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "runtime/factorizations/csv.hpp"
#include "runtime/factorizations/npy.hpp"
#include "slicepool/core/error.hpp"
#include "support/factorizations/front.hpp"

using namespace slicepool;
using namespace slicepool::factorizations;
using slicepool::testing::contentOf;
using slicepool::testing::TemporaryFolder;

TEST_CASE(
    "an .npy header has magic, version 1.0, its own length, a dictionary, and ends aligned to 64 bytes") {
  for (const unsigned bytes : {1U, 2U, 4U, 8U}) {
    for (const std::uint64_t rows : {std::uint64_t{0}, std::uint64_t{7}, std::uint64_t{123456789012}}) {
      const std::string header = npyHeader(rows, 5, bytes);
      CAPTURE(header);
      REQUIRE(header.size() % 64 == 0);
      CHECK(header.substr(0, 6) == "\x93NUMPY");
      CHECK(header[6] == 1);
      CHECK(header[7] == 0);
      const auto length = static_cast<std::size_t>(static_cast<unsigned char>(header[8])) +
                          256 * static_cast<std::size_t>(static_cast<unsigned char>(header[9]));
      CHECK(length == header.size() - 10);
      CHECK(header.back() == '\n');
      const std::string type = bytes == 1 ? "|u1" : "<u" + std::to_string(bytes);
      const std::string dictionary =
          "{'descr': '" + type + "', 'fortran_order': False, 'shape': (" + std::to_string(rows) + ", 5), }";
      CHECK(header.substr(10, dictionary.size()) == dictionary);
    }
  }
}

TEST_CASE("an .npy file appears under its name only when published") {
  const TemporaryFolder folder;
  const std::string path = folder.path("rows.npy");
  {
    NpyFile file(path, 3, 2, 2, false);
    const std::uint16_t values[6] = {1, 2, 3, 4, 5, 600};
    std::memcpy(file.rows(), values, sizeof values);
    CHECK_FALSE(std::filesystem::exists(path));
    file.publish();
    const std::string content = contentOf(path);
    REQUIRE(content.size() == file.fileBytes());
    CHECK(content == npyHeader(3, 2, 2) + std::string(reinterpret_cast<const char*>(values), sizeof values));
  }
  std::filesystem::remove(path);
  { const NpyFile dropped(path, 3, 2, 2, false); }
  CHECK(folder.empty());
}

TEST_CASE("a kept part file is reopened, another shape is refused") {
  const TemporaryFolder folder;
  const std::string path = folder.path("rows.npy");
  {
    NpyFile file(path, 4, 1, 1, false);
    file.rows()[2] = std::byte{42};
    file.keepPart();
  }
  CHECK_THROWS_AS(NpyFile(path, 5, 1, 1, true), CheckpointError);
  NpyFile file(path, 4, 1, 1, true);
  CHECK(file.rows()[2] == std::byte{42});
  CHECK_THROWS_AS(NpyFile(folder.path("other.npy"), 4, 1, 1, true), CheckpointError);
}

TEST_CASE("a file larger than the disk is refused with the numbers, before anything is written") {
  const TemporaryFolder folder;
  try {
    const NpyFile file(folder.path("rows.npy"), std::uint64_t{1} << 60, 1, 4, false);
    FAIL("a file of 2^62 bytes was accepted");
  } catch (const LimitError& error) {
    CHECK(std::string(error.what()).find(std::to_string((std::uint64_t{1} << 62) + 128)) !=
          std::string::npos);
  }
  CHECK(folder.empty());
}

TEST_CASE("CSV text is the numbers of every width, in order, for any number of threads") {
  const std::vector<std::uint64_t> values = {
      0, 9, 10, 255, 65535, 4294967295ULL, std::numeric_limits<std::uint64_t>::max(), 1};
  std::string text;
  formatCsv(reinterpret_cast<const std::byte*>(values.data()), 4, 2, 8, text);
  CHECK(text == "0,9\n10,255\n65535,4294967295\n18446744073709551615,1\n");

  const TemporaryFolder folder;
  std::vector<std::uint16_t> rows;
  std::string expected = "a1,a2,a3\n";
  for (unsigned i = 0; i < 50'000; ++i) {
    for (unsigned k = 0; k < 3; ++k) rows.push_back(static_cast<std::uint16_t>(i * 7 + k));
    expected += std::to_string(rows[3 * i]) + "," + std::to_string(rows[3 * i + 1]) + "," +
                std::to_string(rows[3 * i + 2]) + "\n";
  }
  for (const int threads : {1, 2, 3, 7}) {
    const std::string path = folder.path(std::to_string(threads) + ".csv");
    CsvFile file(path, 3, true, 0);
    file.write(reinterpret_cast<const std::byte*>(rows.data()), 50'000, 2, threads);
    CHECK(file.bytes() == expected.size());
    file.publish();
    CHECK(contentOf(path) == expected);
  }
}

TEST_CASE("a CSV file continues at the offset of its checkpoint") {
  const TemporaryFolder folder;
  const std::string path = folder.path("rows.csv");
  const std::uint8_t values[4] = {1, 2, 3, 4};
  const auto* data = reinterpret_cast<const std::byte*>(values);
  {
    CsvFile file(path, 1, false, 0);
    file.write(data, 4, 1, 1);
    file.keepPart();
  }
  FileHash hash;
  hash.update(std::as_bytes(std::span("1\n2\n", 4)));
  CHECK_THROWS_AS(CsvFile(path, 1, false, 9, hash.digits()), CheckpointError);
  CHECK_THROWS_AS(CsvFile(path, 1, false, 5, hash.digits()), CheckpointError);
  CHECK_THROWS_AS(CsvFile(path, 1, false, 4), CheckpointError);
  CHECK(contentOf(path + ".part") == "1\n2\n3\n4\n");
  CsvFile file(path, 1, false, 4, hash.digits());  // "1\n2\n" stays
  file.write(data, 1, 1, 1);
  file.publish();
  CHECK(contentOf(path) == "1\n2\n1\n");
}

TEST_CASE("a row matrix holds what is written, moves, and refuses what no machine has") {
  RowMatrix matrix(1000, 3, 4);
  CHECK(matrix.rowBytes() == 12);
  const std::uint32_t row[3] = {7, 0, 4000000000U};
  std::memcpy(matrix.data() + 999 * matrix.rowBytes(), row, sizeof row);
  RowMatrix moved = std::move(matrix);
  CHECK(moved.rows() == 1000);
  CHECK(moved.at(999, 0) == 7);
  CHECK(moved.at(999, 2) == 4000000000U);
  CHECK(RowMatrix(0, 3, 4).data() == nullptr);
  CHECK_THROWS_AS(RowMatrix(std::uint64_t{1} << 61, 64, 8), LimitError);
  CHECK_THROWS_AS(RowMatrix(std::uint64_t{1} << 50, 8, 8), LimitError);
}
