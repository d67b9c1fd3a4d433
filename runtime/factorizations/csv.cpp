// See csv.hpp.
#include "runtime/factorizations/csv.hpp"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "runtime/io/durable_file.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::factorizations {
namespace {

constexpr std::size_t kMaximumNumberLength = 20;        // digits of 2^64 - 1
constexpr std::uint64_t kFormattedTogether = 1U << 14;  // rows that one thread formats at a time

template <class Element>
void formatRows(const std::byte* data, std::uint64_t rows, unsigned dimension, std::string& text) {
  const std::size_t longestRow = dimension * (kMaximumNumberLength + 1);
  std::size_t used = text.size();
  for (std::uint64_t row = 0; row < rows; ++row) {
    if (text.size() - used < longestRow) text.resize(std::max(2 * text.size(), used + 64 * longestRow));
    char* position = text.data() + used;
    char* const end = text.data() + text.size();
    for (unsigned column = 0; column < dimension; ++column, data += sizeof(Element)) {
      Element value;
      std::memcpy(&value, data, sizeof(Element));
      position = std::to_chars(position, end, static_cast<std::uint64_t>(value)).ptr;
      *position++ = column + 1 == dimension ? '\n' : ',';
    }
    used = static_cast<std::size_t>(position - text.data());
  }
  text.resize(used);
}

}  // namespace

void formatCsv(const std::byte* data, std::uint64_t rows, unsigned dimension, unsigned elementBytes,
               std::string& text) {
  switch (elementBytes) {
    case 1: return formatRows<std::uint8_t>(data, rows, dimension, text);
    case 2: return formatRows<std::uint16_t>(data, rows, dimension, text);
    case 4: return formatRows<std::uint32_t>(data, rows, dimension, text);
    default: return formatRows<std::uint64_t>(data, rows, dimension, text);
  }
}

std::string csvNames(unsigned dimension) {
  std::string line;
  for (unsigned i = 1; i <= dimension; ++i) line += "a" + std::to_string(i) + (i == dimension ? "\n" : ",");
  return line;
}

CsvFile::CsvFile(const std::string& path, unsigned dimension, bool header, std::uint64_t resumeOffset,
                 const std::string& resumeHash)
    : dimension_(dimension), bytes_(resumeOffset) {
  if (path != "-") {
    const auto check = [&](const PartFile& file) { file.requireHash(hash_, 0, resumeOffset, resumeHash); };
    file_.emplace(resumeOffset == 0 ? PartFile::createText(path)
                                    : PartFile::reopen(path, resumeOffset, true, check));
  } else if (resumeOffset != 0) {
    throw CheckpointError("resume: standard output cannot be continued");
  }
  if (resumeOffset != 0 || !header) return;
  writeText(csvNames(dimension));
}

void CsvFile::write(const std::byte* data, std::uint64_t rows, unsigned elementBytes, int threads) {
  const std::size_t rowBytes = std::size_t{dimension_} * elementBytes;
  std::vector<std::string> texts(static_cast<std::size_t>(std::max(1, threads)));
  for (std::uint64_t begin = 0; begin < rows;) {
    std::vector<std::jthread> helpers;
    std::uint64_t next = begin;
    for (std::size_t i = 0; i < texts.size() && next < rows; ++i) {
      const std::uint64_t count = std::min(kFormattedTogether, rows - next);
      const std::byte* const first = data + next * rowBytes;
      auto format = [this, first, count, elementBytes, &text = texts[i]] {
        formatCsv(first, count, dimension_, elementBytes, text);
      };
      next += count;
      // The last part of a round is formatted here, so that one thread needs no helper at all.
      if (i + 1 == texts.size() || next == rows)
        format();
      else
        helpers.emplace_back(format);
    }
    helpers.clear();  // joins
    for (auto& text : texts) {
      writeText(text);
      text.clear();
    }
    begin = next;
  }
}

void CsvFile::writeText(const std::string& text) {
  if (file_.has_value()) {
    const auto bytes = std::as_bytes(std::span(text.data(), text.size()));
    file_->write(bytes_, bytes);
    hash_.update(bytes);
  } else if (const int code = writeAll(STDOUT_FILENO, text); code != 0) {
    throwFileError("output -: cannot write after " + std::to_string(bytes_) + " bytes", code);
  }
  bytes_ += text.size();
}

void CsvFile::sync() const {
  if (file_.has_value()) file_->sync();
}

void CsvFile::publish() {
  if (file_.has_value()) file_->publish();
}

void CsvFile::keepPart() {
  if (file_.has_value()) file_->keepPart();
}

}  // namespace slicepool::factorizations
