// See vector_file.hpp.
#include "runtime/lattice/vector_file.hpp"

#include <cmath>
#include <cstdio>
#include <cstring>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "runtime/core/npy_header.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::lattice {
namespace {

constexpr std::size_t kBufferBytes = 4U << 20;
/// The number of rows is known last: room for any.
constexpr std::size_t kHeaderBytes = 128;

std::string npyType(unsigned elementBytes) {
  return elementBytes == 1 ? "|i1" : "<i" + std::to_string(elementBytes);
}

}  // namespace

VectorFormat vectorFormat(const std::string& path) {
  if (path == "-" || path.ends_with(".txt")) return VectorFormat::text;
  if (path.ends_with(".npy")) return VectorFormat::npy;
  throw ConfigError("output.path", "\"" + path + "\"",
                    "a file name that ends in .npy or .txt, or - for text on standard output");
}

unsigned elementBytes(double squaredRadius) {
  const double most = std::sqrt(squaredRadius);
  for (const unsigned bytes : {1U, 2U, 4U, 8U}) {
    if (most < std::ldexp(1.0, static_cast<int>(8 * bytes) - 1)) return bytes;
  }
  throw ConfigError("output.path", fmt::format("an array of vectors as long as {:.3g}", most),
                    "a .txt file: elements beyond 64 bits do not fit into .npy");
}

std::string vectorText(const VectorMaker& maker) {
  std::string text = "[";
  const char* separator = "";
  if (maker.isNarrow()) {
    for (const std::int64_t element : maker.narrow()) {
      text += separator;
      text += fmt::format_int(element).c_str();
      separator = " ";
    }
  } else {
    for (const auto& element : maker.wide()) {
      text += separator + element.str();
      separator = " ";
    }
  }
  return text + "]";
}

VectorFile::VectorFile(std::string path, int columns, unsigned elementBytes)
    : path_(std::move(path)),
      format_(vectorFormat(path_)),
      columns_(static_cast<std::uint64_t>(columns)),
      elementBytes_(elementBytes) {
  buffer_.reserve(kBufferBytes);
}

void VectorFile::add(const VectorMaker& maker) {
  open();
  if (format_ == VectorFormat::npy) {
    addElements(maker);
  } else {
    const std::string text = vectorText(maker) + "\n";
    buffer_.insert(buffer_.end(), text.begin(), text.end());
  }
  ++rows_;
  if (buffer_.size() >= kBufferBytes) flush();
}

template <class Element>
void VectorFile::addAs(const VectorMaker& maker) {
  const std::size_t before = buffer_.size();
  buffer_.resize(before + columns_ * sizeof(Element));
  char* to = buffer_.data() + before;
  const auto put = [&to](std::int64_t value) {
    const auto element = static_cast<Element>(value);
    std::memcpy(to, &element, sizeof element);
    to += sizeof element;
  };
  if (maker.isNarrow()) {
    for (const std::int64_t element : maker.narrow()) put(element);
  } else {
    for (const auto& element : maker.wide()) put(static_cast<std::int64_t>(element));
  }
}

void VectorFile::addElements(const VectorMaker& maker) {
  switch (elementBytes_) {
    case 1: return addAs<std::int8_t>(maker);
    case 2: return addAs<std::int16_t>(maker);
    case 4: return addAs<std::int32_t>(maker);
    default: return addAs<std::int64_t>(maker);
  }
}

std::string VectorFile::header() const {
  return format_ == VectorFormat::npy ? npyHeader(npyType(elementBytes_), rows_, columns_, kHeaderBytes) : "";
}

void VectorFile::open() {
  if (file_ || toStandardOutput()) return;
  file_.emplace(PartFile::create(path_, 0));
  const std::string place = header();
  buffer_.insert(buffer_.end(), place.begin(), place.end());
}

void VectorFile::flush() {
  if (toStandardOutput()) {
    if (std::fwrite(buffer_.data(), 1, buffer_.size(), stdout) != buffer_.size() || std::fflush(stdout) != 0)
      throw LimitError("standard output: could not be written; is the disk full?");
  } else {
    file_->write(flushed_, std::as_bytes(std::span(buffer_)));
    file_->startWriteback(flushed_, buffer_.size());
  }
  flushed_ += buffer_.size();
  buffer_.clear();
}

VectorFileState VectorFile::save() {
  open();
  flush();
  file_->sync();
  file_->keepPart();
  return {rows_, flushed_};
}

void VectorFile::restore(const VectorFileState& state) {
  PartFile::takeBack(path_, state.bytes);
  file_.emplace(PartFile::reopen(path_, state.bytes, true));
  rows_ = state.rows;
  flushed_ = state.bytes;
}

std::uint64_t VectorFile::publish() {
  open();
  flush();
  if (toStandardOutput()) return flushed_;
  const std::string head = header();
  file_->write(0, std::as_bytes(std::span(head)));
  file_->publishDurably();
  file_.reset();
  return flushed_;
}

}  // namespace slicepool::lattice
