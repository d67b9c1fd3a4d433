// See zstd_frames.hpp.
#include "runtime/io/zstd_frames.hpp"

#include <vector>

#include "slicepool/core/error.hpp"

#ifdef SLICEPOOL_HAVE_ZSTD
#include <zstd.h>

namespace slicepool::factorizations {
namespace {

std::size_t checked(std::size_t result) {
  if (ZSTD_isError(result) != 0) throw Error(std::string("zstd: ") + ZSTD_getErrorName(result));
  return result;
}

}  // namespace

class FrameEncoder::Impl {
 public:
  explicit Impl(int level) : context_(ZSTD_createCCtx()) {
    if (context_ == nullptr) throw LimitError("zstd: no memory for a compression context");
    checked(ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_compressionLevel, level));
    checked(ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_checksumFlag, 1));
  }

  std::span<const std::byte> encode(std::span<const std::byte> block) {
    if (const std::size_t most = longestFrame(block.size()); frame_.size() < most) frame_.resize(most);
    const std::size_t size =
        checked(ZSTD_compress2(context_.get(), frame_.data(), frame_.size(), block.data(), block.size()));
    return {frame_.data(), size};
  }

 private:
  struct Free {
    void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  };
  std::unique_ptr<ZSTD_CCtx, Free> context_;
  std::vector<std::byte> frame_;
};

class FrameDecoder::Impl {
 public:
  Impl() : context_(ZSTD_createDCtx()), plain_(ZSTD_DStreamOutSize()) {
    if (context_ == nullptr) throw LimitError("zstd: no memory for a decompression context");
  }

  void decode(std::span<const std::byte> bytes,
              const std::function<void(std::span<const std::byte>)>& plain) {
    ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
    bool more = true;  // in the buffers of the library
    while (in.pos < in.size || more) {
      ZSTD_outBuffer out{plain_.data(), plain_.size(), 0};
      const std::size_t before = in.pos;
      const std::size_t left = checked(ZSTD_decompressStream(context_.get(), &out, &in));
      if (in.pos != before || out.pos != 0) left_ = left;  // else it speaks of a next frame
      if (out.pos != 0) plain(std::span(plain_).first(out.pos));
      more = out.pos == out.size;
    }
  }
  [[nodiscard]] bool atEnd() const { return left_ == 0; }

 private:
  struct Free {
    void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
  };
  std::unique_ptr<ZSTD_DCtx, Free> context_;
  std::vector<std::byte> plain_;
  std::size_t left_ = 0;
};

bool zstdAvailable() { return true; }
std::size_t longestFrame(std::size_t bytes) { return ZSTD_compressBound(bytes); }

FrameEncoder::FrameEncoder(int level) : impl_(std::make_unique<Impl>(level)) {}
FrameEncoder::~FrameEncoder() = default;
std::span<const std::byte> FrameEncoder::encode(std::span<const std::byte> block) {
  return impl_->encode(block);
}
FrameDecoder::FrameDecoder() : impl_(std::make_unique<Impl>()) {}
FrameDecoder::~FrameDecoder() = default;
void FrameDecoder::decode(std::span<const std::byte> bytes,
                          const std::function<void(std::span<const std::byte>)>& plain) {
  impl_->decode(bytes, plain);
}
bool FrameDecoder::atEnd() const { return impl_->atEnd(); }

}  // namespace slicepool::factorizations

#else

namespace slicepool::factorizations {

class FrameEncoder::Impl {};

bool zstdAvailable() { return false; }
std::size_t longestFrame(std::size_t bytes) { return bytes; }

// request_check refuses .npy.zst before anything comes here.
FrameEncoder::FrameEncoder(int) { throw Error("zstd: this build has no libzstd"); }
FrameEncoder::~FrameEncoder() = default;
std::span<const std::byte> FrameEncoder::encode(std::span<const std::byte>) { return {}; }

class FrameDecoder::Impl {};
FrameDecoder::FrameDecoder() { throw Error("zstd: this build has no libzstd"); }
FrameDecoder::~FrameDecoder() = default;
void FrameDecoder::decode(std::span<const std::byte>,
                          const std::function<void(std::span<const std::byte>)>&) {}
bool FrameDecoder::atEnd() const { return true; }

}  // namespace slicepool::factorizations

#endif
