// See joined_rows.hpp.
#include "runtime/factorizations/joined_rows.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <span>
#include <string_view>

#include <fmt/format.h>

#include "runtime/factorizations/csv.hpp"
#include "runtime/factorizations/manifest.hpp"
#include "runtime/factorizations/manifest_check.hpp"
#include "runtime/factorizations/npy.hpp"
#include "runtime/factorizations/request_check.hpp"
#include "runtime/factorizations/stream_shape.hpp"
#include "runtime/io/durable_file.hpp"
#include "runtime/io/regular_file.hpp"
#include "runtime/io/shown.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::factorizations {
namespace {

constexpr const char* kJoinAccepted = "the rows that the shard wrote";

std::uint64_t rowsOf(const RowsPart& part) { return (part.end - part.begin).convert_to<std::uint64_t>(); }

std::string_view textOf(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Appends what is behind the header of a part: `begin` is where.
void append(FileReplacement& output, const RegularFile& file, std::uint64_t begin, std::uint64_t& bytes) {
  file.read(begin, file.bytes(), [&](std::span<const std::byte> piece) { output.write(textOf(piece)); });
  bytes += file.bytes() - begin;
}

JoinedRows committed(FileReplacement& output, const std::string& path, std::uint64_t bytes) {
  if (const int code = output.commit(); code != 0) throwFileError("output " + path, code);
  return {path, bytes, 0};
}

JoinedRows joinNpy(const Request& request, const std::vector<RowsPart>& parts) {
  const auto dimension = static_cast<unsigned>(request.generators.size());
  const unsigned elementBytes = elementBytesFor(request);
  std::uint64_t rows = 0;
  for (const auto& part : parts) rows += rowsOf(part);
  FileReplacement output(request.output.path);
  const std::string header = npyHeader(rows, dimension, elementBytes);
  output.write(header);
  std::uint64_t bytes = header.size();
  for (const auto& part : parts) {
    const RegularFile file(part.path);
    const std::string own = npyHeader(rowsOf(part), dimension, elementBytes);
    std::string found;
    if (file.bytes() >= own.size())
      file.read(0, own.size(), [&](std::span<const std::byte> piece) { found += textOf(piece); });
    if (found != own || file.bytes() != own.size() + rowsOf(part) * dimension * elementBytes)
      throw ConfigError(part.path, "an array of another shape or type", kJoinAccepted);
    append(output, file, own.size(), bytes);
  }
  return committed(output, request.output.path, bytes);
}

JoinedRows joinCsv(const Request& request, const std::vector<RowsPart>& parts) {
  FileReplacement output(request.output.path);
  // Every part has them.
  const std::string names =
      request.output.header ? csvNames(static_cast<unsigned>(request.generators.size())) : "";
  output.write(names);
  std::uint64_t bytes = names.size();
  for (const auto& part : parts) {
    const RegularFile file(part.path);
    std::string found;
    if (file.bytes() >= names.size())
      file.read(0, names.size(), [&](std::span<const std::byte> piece) { found += textOf(piece); });
    if (found != names) throw ConfigError(part.path, "a file with another line of names", kJoinAccepted);
    std::uint64_t lines = 0;
    char last = '\n';
    file.read(names.size(), file.bytes(), [&](std::span<const std::byte> piece) {
      const std::string_view text = textOf(piece);
      lines += static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n'));
      if (!text.empty()) last = text.back();
      output.write(text);
    });
    bytes += file.bytes() - names.size();
    if (lines != rowsOf(part) || last != '\n')
      throw ConfigError(part.path, fmt::format("{} lines{}", lines, last == '\n' ? "" : " and a part of one"),
                        fmt::format("{}, one for each of its ranks", rowsOf(part)));
  }
  return committed(output, request.output.path, bytes);
}

/// Files of rows are joined as they are, in the form that they have.
void requireFormOf(const Request& request, const std::string& file) {
  OutputSpec part;
  part.path = file;
  const OutputFormat format = outputFormat(part);
  if (outputFormat(request.output) == format) return;
  const char* const suffix = format == OutputFormat::csv       ? ".csv"
                             : format == OutputFormat::npyZstd ? ".npy.zst"
                                                               : ".npy";
  throw ConfigError("output.path", shown(request.output.path, 200),
                    fmt::format("a file name that ends in {}, as those of the shards do", suffix));
}

bool isSameFile(const std::string& a, const std::string& b) {
  struct stat first {};
  struct stat second {};
  return ::stat(a.c_str(), &first) == 0 && ::stat(b.c_str(), &second) == 0 && first.st_dev == second.st_dev &&
         first.st_ino == second.st_ino;
}

/// `to` becomes another name of the file `from`, or a copy where the file system or another one has no links.
void giveName(const std::string& from, const std::string& to) {
  if (isSameFile(from, to)) return;
  const std::string temporary = to + ".tmp";
  ::unlink(temporary.c_str());
  if (::link(from.c_str(), temporary.c_str()) == 0) {
    if (::rename(temporary.c_str(), to.c_str()) == 0) return;
    const int code = errno;
    ::unlink(temporary.c_str());
    throwFileError("output " + to, code);
  }
  const RegularFile file(from);
  FileReplacement output(to);
  std::uint64_t bytes = 0;
  append(output, file, 0, bytes);
  (void)committed(output, to, bytes);
}

/// The manifest of a part, of which everything is checked.
Manifest checkedManifest(const Request& request, const RowsPart& part) {
  ManifestCheck check = verifyManifest(part.path);
  if (!check.problems.empty()) throw ConfigError(part.path, check.problems.front(), kJoinAccepted);
  Manifest& manifest = check.manifest;
  const bool same = manifest.generators == request.generators && manifest.element == request.element &&
                    manifest.elementBytes == elementBytesFor(request) && manifest.firstRank == part.begin &&
                    manifest.rows == rowsOf(part) && manifest.shardRows == request.output.shardRows;
  if (!same) throw ConfigError(part.path, "the manifest of other rows", kJoinAccepted);
  return std::move(manifest);
}

JoinedRows joinShards(const Request& request, const std::vector<RowsPart>& parts) {
  StreamShape shape;
  shape.path = request.output.path;
  shape.shardRows = request.output.shardRows;
  Manifest whole;
  std::vector<std::string> sources;
  for (const auto& part : parts) {
    Manifest manifest = checkedManifest(request, part);
    for (const auto& shard : manifest.shards) requireFormOf(request, shard.file);
    const auto folder = std::filesystem::path(part.path).parent_path();
    if (sources.empty()) {
      whole = manifest;
      whole.rows = 0;
      whole.shards.clear();
    }
    whole.rows += manifest.rows;
    for (auto& shard : manifest.shards) {
      sources.push_back((folder / shard.file).string());
      shard.file = std::filesystem::path(shape.shardPath(whole.shards.size())).filename().string();
      whole.shards.push_back(std::move(shard));
    }
  }
  shape.rows = whole.rows;
  JoinedRows joined{shape.manifestPath(), 0, whole.shards.size()};
  // An older manifest must not list files that are replaced one by one.
  std::error_code error;
  if (std::filesystem::remove(joined.path, error)) (void)syncFolderOf(joined.path);
  for (std::size_t i = 0; i < sources.size(); ++i) {
    giveName(sources[i], shape.shardPath(i));
    joined.bytes += whole.shards[i].bytes;
  }
  (void)syncFolderOf(joined.path);
  writeManifest(joined.path, whole);
  return joined;
}

}  // namespace

JoinedRows joinRows(const Request& request, const std::vector<RowsPart>& parts) {
  if (request.output.shardRows != 0) return joinShards(request, parts);
  for (const auto& part : parts) requireFormOf(request, part.path);
  return outputFormat(request.output) == OutputFormat::csv ? joinCsv(request, parts)
                                                           : joinNpy(request, parts);
}

}  // namespace slicepool::factorizations
