// See file_hash.hpp.
#include "runtime/io/file_hash.hpp"

#include <cstdint>

#include <fmt/format.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace slicepool {
namespace {

std::string digitsOf(XXH64_hash_t hash) { return fmt::format("{:016x}", static_cast<std::uint64_t>(hash)); }

}  // namespace

struct FileHash::State {
  XXH3_state_t value;  // carries its own alignment of 64 bytes
};

FileHash::FileHash() : state_(std::make_unique<State>()) { (void)XXH3_64bits_reset(&state_->value); }
FileHash::~FileHash() = default;
FileHash::FileHash(FileHash&&) noexcept = default;
FileHash& FileHash::operator=(FileHash&&) noexcept = default;

void FileHash::update(std::span<const std::byte> bytes) {
  (void)XXH3_64bits_update(&state_->value, bytes.data(), bytes.size());
}

std::string FileHash::digits() const { return digitsOf(XXH3_64bits_digest(&state_->value)); }

std::string hashDigits(std::string_view text) { return digitsOf(XXH3_64bits(text.data(), text.size())); }

}  // namespace slicepool
