// See vector_file.hpp.
#include "runtime/lattice/vector_file.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "runtime/io/npy_header.hpp"
#include "runtime/io/text_output.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::lattice {
namespace {

/// The number of rows is known last: room for any.
constexpr std::size_t kHeaderBytes = 128;

std::string npyType(unsigned elementBytes) {
  return elementBytes == 1 ? "|i1" : "<i" + std::to_string(elementBytes);
}

/// "[1 -2 3]".
void appendText(const VectorMaker& maker, std::vector<char>& text) {
  text.push_back('[');
  if (maker.isNarrow()) {
    std::array<char, 24> digits;  // of 64 bits and a sign there are at most 20
    for (const std::int64_t element : maker.narrow()) {
      char* end = std::to_chars(digits.data(), digits.data() + digits.size(), element).ptr;
      text.insert(text.end(), digits.data(), end);
      text.push_back(' ');
    }
  } else {
    for (const auto& element : maker.wide()) {
      const std::string digits = element.str();
      text.insert(text.end(), digits.begin(), digits.end());
      text.push_back(' ');
    }
  }
  text.back() = ']';
}

}  // namespace

VectorFormat vectorFormat(const std::string& path) {
  if (path == "-" || path.ends_with(".txt")) return VectorFormat::text;
  if (path.ends_with(".npy")) return VectorFormat::npy;
  throw ConfigError("output.path", "\"" + path + "\"",
                    "a file name that ends in .npy or .txt, or - for text on standard output");
}

unsigned elementBytes(const Integer& most) {
  for (const unsigned bytes : {1U, 2U, 4U, 8U})
    if (most < Integer(1) << (2 * (8 * bytes - 1))) return bytes;
  throw ConfigError(
      "output.path",
      fmt::format("an array of vectors as long as {:.3g}", std::sqrt(static_cast<double>(most))),
      "a .txt file: elements beyond 64 bits do not fit into .npy");
}

std::string vectorArrayHeader(std::uint64_t rows, std::uint64_t columns, unsigned elementBytes) {
  return npyHeader(npyType(elementBytes), rows, columns, kHeaderBytes);
}

std::string vectorText(const VectorMaker& maker) {
  std::vector<char> text;
  appendText(maker, text);
  return {text.begin(), text.end()};
}

VectorFile::VectorFile(std::string path, int columns, unsigned elementBytes)
    : path_(std::move(path)),
      format_(vectorFormat(path_)),
      columns_(static_cast<std::uint64_t>(columns)),
      elementBytes_(elementBytes) {}

std::size_t VectorFile::maximumRowBytes(const Integer& most) const {
  if (format_ == VectorFormat::npy) return columns_ * elementBytes_;
  // An element has a sign and a space, and no more digits than R.
  return columns_ * (Integer(sqrt(most)).str().size() + 2) + 3;
}

void VectorFile::encode(const VectorMaker& maker, std::vector<char>& rows) const {
  if (format_ == VectorFormat::text) {
    appendText(maker, rows);
    rows.push_back('\n');
    return;
  }
  switch (elementBytes_) {
    case 1: return encodeAs<std::int8_t>(maker, rows);
    case 2: return encodeAs<std::int16_t>(maker, rows);
    case 4: return encodeAs<std::int32_t>(maker, rows);
    default: return encodeAs<std::int64_t>(maker, rows);
  }
}

template <class Element>
void VectorFile::encodeAs(const VectorMaker& maker, std::vector<char>& rows) const {
  const std::size_t before = rows.size();
  rows.resize(before + columns_ * sizeof(Element));
  char* to = rows.data() + before;
  const auto put = [&to](std::int64_t value) {
    const auto element = static_cast<Element>(value);
    std::memcpy(to, &element, sizeof element);
    to += sizeof element;
  };
  if (maker.isNarrow())
    for (const std::int64_t element : maker.narrow()) put(element);
  else
    for (const auto& element : maker.wide()) put(static_cast<std::int64_t>(element));
}

std::string VectorFile::header() const {
  return format_ == VectorFormat::npy ? vectorArrayHeader(rows_, columns_, elementBytes_) : "";
}

void VectorFile::open() {
  if (file_ || toStandardOutput()) return;
  file_.emplace(format_ == VectorFormat::text ? PartFile::createText(path_) : PartFile::create(path_, 0));
  const std::string room = header();
  file_->write(0, std::as_bytes(std::span(room)));
  bytes_ = room.size();
}

std::uint64_t VectorFile::place(std::uint64_t rows, std::span<const char> bytes) {
  open();
  if (toStandardOutput()) {
    writeToStandardOutput(bytes);
    flushStandardOutput();
  }
  if (inPlace()) file_->write(bytes_, std::as_bytes(bytes));
  rows_ += rows;
  if (!toStandardOutput()) hash_.update(std::as_bytes(bytes));
  return std::exchange(bytes_, bytes_ + bytes.size());
}

void VectorFile::write(std::uint64_t place, std::span<const char> bytes) const {
  if (toStandardOutput() || inPlace()) return;
  file_->write(place, std::as_bytes(bytes));
  file_->startWriteback(place, bytes.size());
}

VectorFileState VectorFile::save() {
  open();
  file_->sync();
  file_->keepPart();
  VectorFileState state{rows_, bytes_, {}};
  const std::string digits = hash_.digits();
  std::copy(digits.begin(), digits.end(), state.hash.begin());
  return state;
}

void VectorFile::restore(const VectorFileState& state) {
  const std::uint64_t begin = header().size();
  const auto check = [&](const PartFile& file) {
    if (state.bytes < begin) file.refuse("no room for a header");
    file.requireHash(hash_, begin, state.bytes, {state.hash.begin(), state.hash.end()});
  };
  file_.emplace(PartFile::reopen(path_, state.bytes, true, check));
  rows_ = state.rows;
  bytes_ = state.bytes;
}

std::uint64_t VectorFile::publish() {
  open();
  if (toStandardOutput()) return bytes_;
  const std::string head = header();
  if (!head.empty()) file_->write(0, std::as_bytes(std::span(head)));
  file_->publishDurably();
  file_.reset();
  return bytes_;
}

}  // namespace slicepool::lattice
