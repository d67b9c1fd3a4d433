// See csv.hpp.
#include "runtime/factorizations/csv.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <thread>
#include <utility>
#include <vector>

#include "slicepool/core/error.hpp"

namespace slicepool::factorizations {
namespace {

constexpr std::size_t kLongestNumber = 20;        // digits of 2^64 - 1
constexpr std::uint64_t kRowsPerTask = 1U << 14;  // rows that one thread formats at a time

template <class Element>
void formatRows(const std::byte* data, std::uint64_t rows, unsigned dimension, std::string& text) {
  const std::size_t longestRow = dimension * (kLongestNumber + 1);
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

CsvFile::CsvFile(std::string path, unsigned dimension, bool header, std::uint64_t resumeOffset)
    : path_(std::move(path)), partPath_(path_ + ".part"), dimension_(dimension) {
  if (toStandardOutput()) {
    descriptor_ = STDOUT_FILENO;
  } else {
    const int flags = O_WRONLY | O_CREAT | O_CLOEXEC | (resumeOffset == 0 ? O_TRUNC : 0);
    descriptor_ = ::open(partPath_.c_str(), flags, 0666);
    if (descriptor_ < 0) throw Error("cannot create " + partPath_ + ": " + std::strerror(errno));
  }
  if (resumeOffset > 0) {
    struct stat status {};
    const bool longEnough =
        fstat(descriptor_, &status) == 0 && static_cast<std::uint64_t>(status.st_size) >= resumeOffset;
    if (!longEnough || ftruncate(descriptor_, static_cast<off_t>(resumeOffset)) != 0 ||
        lseek(descriptor_, 0, SEEK_END) < 0) {
      const std::string found = std::to_string(status.st_size);
      ::close(descriptor_);
      throw CheckpointError("resume: " + partPath_ + " has " + found +
                            " bytes, the checkpoint needs its first " + std::to_string(resumeOffset));
    }
    bytes_ = resumeOffset;
  } else if (header) {
    std::string line;
    for (unsigned i = 1; i <= dimension; ++i) line += "a" + std::to_string(i) + (i == dimension ? "\n" : ",");
    writeText(line);
  }
}

void CsvFile::write(const std::byte* data, std::uint64_t rows, unsigned elementBytes, int threads) {
  const std::size_t rowBytes = std::size_t{dimension_} * elementBytes;
  std::vector<std::string> texts(static_cast<std::size_t>(std::max(1, threads)));
  for (std::uint64_t begin = 0; begin < rows;) {
    std::vector<std::jthread> helpers;
    std::uint64_t next = begin;
    for (std::size_t i = 0; i < texts.size() && next < rows; ++i) {
      const std::uint64_t count = std::min(kRowsPerTask, rows - next);
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
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t written = ::write(descriptor_, text.data() + done, text.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      const int code = errno;
      const std::string message = "output " + path_ + ": cannot write after " +
                                  std::to_string(bytes_ + done) + " bytes: " + std::strerror(code);
      if (code == ENOSPC || code == EFBIG || code == EDQUOT) throw LimitError(message);
      throw Error(message);
    }
    done += static_cast<std::size_t>(written);
  }
  bytes_ += text.size();
}

void CsvFile::sync() const {
  if (!toStandardOutput() && fdatasync(descriptor_) != 0) {
    throw Error("cannot write " + partPath_ + ": " + std::strerror(errno));
  }
}

void CsvFile::publish() {
  published_ = true;
  if (toStandardOutput()) return;
  ::close(descriptor_);
  descriptor_ = -1;
  if (std::rename(partPath_.c_str(), path_.c_str()) != 0) {
    throw Error("cannot rename " + partPath_ + " to " + path_ + ": " + std::strerror(errno));
  }
}

CsvFile::~CsvFile() {
  if (toStandardOutput()) return;
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!published_ && !keepPart_) unlink(partPath_.c_str());
}

}  // namespace slicepool::factorizations
