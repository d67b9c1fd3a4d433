// See merged_points.hpp.
#include "runtime/integer_points/merged_points.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <queue>
#include <span>
#include <utility>

#include "runtime/core/fingerprint_sum.hpp"
#include "runtime/io/npy_header.hpp"
#include "runtime/io/regular_file.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::integer_points {
namespace {

constexpr std::size_t kBlockBytes = 1U << 16;

/// One file. It is open only while a block is read, so that there may be many.
class PointReader {
 public:
  PointReader(std::string path, const LineShape& shape)
      : path_(std::move(path)), type_(npyTypeOf(shape)), columns_(shape.order.size()) {
    if (columns_ == 0) refuse("has no coordinates");
    coordinateBytes_ = static_cast<std::size_t>(type_.back() - '0');
    rowBytes_ = columns_ * coordinateBytes_;
    multipliers_.reserve(columns_);
    for (std::size_t column = 0; column < columns_; ++column)
      multipliers_.push_back(coordinateMultiplier(static_cast<unsigned>(column)));
    readBlock();
    (void)next();
  }

  [[nodiscard]] bool isAtEnd() const { return atEnd_; }
  [[nodiscard]] const Point& point() const { return point_; }
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] const ListedPoints& listed() const { return listed_; }

  /// False behind the last point.
  bool next() {
    if (at_ == block_.size()) readBlock();
    atEnd_ = at_ == block_.size();
    if (atEnd_) return false;
    point_.resize(columns_);
    std::uint64_t linear = kRowHashOffset;
    for (std::size_t column = 0; column < columns_; ++column) {
      point_[column] = numberAt(block_.data() + at_ + column * coordinateBytes_);
      linear += multipliers_[column] * static_cast<std::uint64_t>(point_[column]);
    }
    at_ += rowBytes_;
    ++listed_.points;
    addTo(listed_.fingerprint, mix64(linear));
    return true;
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    throw ConfigError(path_, "a file that " + why, "the list of a shard of this search");
  }

  void readBlock() {
    try {
      const RegularFile file(path_);
      if (place_ == 0) place_ = beginOf(file);
      const std::uint64_t end = std::min<std::uint64_t>(
          file.bytes(), place_ + std::max<std::size_t>(1, kBlockBytes / rowBytes_) * rowBytes_);
      block_.clear();
      file.read(place_, end, [&](std::span<const std::byte> piece) {
        block_.insert(block_.end(), piece.begin(), piece.end());
      });
      place_ = end;
      at_ = 0;
    } catch (const ConfigError&) {
      throw;
    } catch (const Error& error) {
      refuse(error.what());
    }
  }

  /// Of the rows.
  [[nodiscard]] std::uint64_t beginOf(const RegularFile& file) const {
    const NpyHead head = readNpyHead(file);
    const std::uint64_t data = file.bytes() - head.text.size();
    if (head.text != npyHeader(type_, head.rows, columns_) || data % rowBytes_ != 0 ||
        data / rowBytes_ != head.rows)
      refuse("is no list of points of this search");
    return head.text.size();
  }

  [[nodiscard]] std::int64_t numberAt(const std::byte* from) const {
    std::uint64_t value = 0;
    std::memcpy(&value, from, coordinateBytes_);  // little-endian
    const auto unused = static_cast<unsigned>(64 - 8 * coordinateBytes_);
    const bool hasSign = type_[1] == 'i';
    return hasSign ? static_cast<std::int64_t>(value << unused) >> unused : static_cast<std::int64_t>(value);
  }

  std::string path_;
  std::string type_;
  std::size_t columns_;
  std::size_t coordinateBytes_ = 0;
  std::size_t rowBytes_ = 0;
  std::vector<std::uint64_t> multipliers_;
  std::uint64_t place_ = 0;  ///< in the file, of what was not yet read
  std::vector<std::byte> block_;
  std::size_t at_ = 0;
  Point point_;
  bool atEnd_ = false;
  ListedPoints listed_;
};

}  // namespace

std::vector<ListedPoints> mergePoints(const std::vector<std::string>& paths, const LineShape& shape,
                                      const std::function<void(const Point&)>& take) {
  std::vector<std::unique_ptr<PointReader>> readers;
  const auto later = [&](std::size_t a, std::size_t b) { return readers[b]->point() < readers[a]->point(); };
  std::priority_queue<std::size_t, std::vector<std::size_t>, decltype(later)> waiting(later);
  for (const std::string& path : paths) {
    readers.push_back(std::make_unique<PointReader>(path, shape));
    if (!readers.back()->isAtEnd()) waiting.push(readers.size() - 1);
  }
  Point last;
  while (!waiting.empty()) {
    const std::size_t first = waiting.top();
    waiting.pop();
    PointReader& reader = *readers[first];
    if (!last.empty() && !(last < reader.point()))
      throw ConfigError(reader.path(), "a point that is not behind the one before",
                        "lists in order that have nothing in common");
    last = reader.point();
    take(last);
    if (reader.next()) waiting.push(first);
  }
  std::vector<ListedPoints> listed;
  listed.reserve(readers.size());
  for (const auto& reader : readers) listed.push_back(reader->listed());
  return listed;
}

}  // namespace slicepool::integer_points
