#include "core/array_files/inflater.h"

#include <zlib.h>

#include <algorithm>

#include "core/base/error.h"

namespace runahead::array_files {
namespace {

/// The most bytes that zlib consumes or produces in one call: its counters have 32 bits.
constexpr std::size_t kMostAtOnce = std::size_t{1} << 30U;

constexpr std::string_view kWhole = "compressed data that is whole; get the file again";

}  // namespace

struct Inflater::Stream {
  explicit Stream(Format format) {
    constexpr int kGzipWindowBits = MAX_WBITS + 16;
    if (::inflateInit2(&state, format == Format::kGzip ? kGzipWindowBits : -MAX_WBITS) != Z_OK) {
      throw OutOfMemoryError("there is no memory for zlib");
    }
  }
  ~Stream() { ::inflateEnd(&state); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  z_stream state{};
  std::size_t given = 0;  ///< Compressed bytes passed to zlib so far.
};

Inflater::Inflater(const FileBytes& file, std::uint64_t offset, std::uint64_t compressed_bytes,
                   Format format)
    : file_(file),
      offset_(offset),
      compressed_(file.span().subspan(offset, compressed_bytes)),
      format_(format),
      stream_(std::make_unique<Stream>(format)) {}

Inflater::~Inflater() = default;

std::uint64_t Inflater::most_bytes() const {
  constexpr std::uint64_t kMostRatio = 1032;  // A deflate stream can encode 258 bytes in 2 bits.
  constexpr std::uint64_t kLargest = std::uint64_t{1} << 50U;
  return std::min<std::uint64_t>(compressed_.size(), kLargest) * kMostRatio;
}

/// Offset in the file of the next byte that zlib consumes.
std::uint64_t Inflater::place() const { return offset_ + stream_->given - stream_->state.avail_in; }

std::size_t Inflater::read(std::span<std::byte> out) {
  std::size_t done = 0;
  while (done < out.size() && !is_at_end_) done += inflate_some(out.subspan(done));
  checksum_ = static_cast<std::uint32_t>(
      ::crc32_z(checksum_, reinterpret_cast<const Bytef*>(out.data()), done));
  return done;
}

std::size_t Inflater::inflate_some(std::span<std::byte> out) {
  z_stream& state = stream_->state;
  if (state.avail_in == 0) {
    const auto next = compressed_.subspan(stream_->given);
    state.avail_in = static_cast<uInt>(std::min(next.size(), kMostAtOnce));
    // zlib only reads it.
    state.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(next.data()));
    stream_->given += state.avail_in;
  }
  const auto room = static_cast<uInt>(std::min(out.size(), kMostAtOnce));
  state.avail_out = room;
  state.next_out = reinterpret_cast<Bytef*>(out.data());
  const int result = ::inflate(&state, Z_NO_FLUSH);
  if (result == Z_STREAM_END) {
    end_member();
  } else if (result == Z_BUF_ERROR) {
    refuse(file_.source, place(), "the end within compressed data", std::string(kWhole));
  } else if (result == Z_MEM_ERROR) {
    throw OutOfMemoryError(file_.source + ": there is no memory to inflate it");
  } else if (result != Z_OK) {
    const std::string reason = state.msg == nullptr ? "" : std::string(" (") + state.msg + ")";
    refuse(file_.source, place(), "damaged compressed data" + reason, std::string(kWhole));
  }
  return room - state.avail_out;
}

/// Ends the deflate stream or one of a gzip file's consecutive members.
void Inflater::end_member() {
  const auto rest = compressed_.subspan(place() - offset_);
  is_at_end_ = rest.empty();
  if (is_at_end_) return;
  if (format_ != Format::kGzip || rest[0] != std::byte{0x1F}) {
    refuse(file_.source, place(), hexadecimal(rest, 4) + " behind the compressed data", "nothing");
  }
  ::inflateReset(&stream_->state);
}

}  // namespace runahead::array_files
