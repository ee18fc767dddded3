#include "core/record/record_file.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/error.h"
#include "core/base/file.h"

namespace runahead::record {
namespace {

/// A record lists up to 10^6 batches. The config of a skipped cell is stored as it was written: a
/// value as deep as a document, below a pointer that is equally deep.
constexpr JsonBounds kRecordBounds{.bytes = std::size_t{256} << 20,
                                   .depth = 2 * JsonBounds{}.depth + 1};
constexpr std::size_t kChunkBytes = 65536;

/// Reads a file line by line. A line is at most as long as a record may be.
class LineReader {
 public:
  explicit LineReader(const std::filesystem::path& path)
      : path_(path), file_(path, std::ios::binary) {
    if (!file_) throw Error("cannot read " + path.string() + ": " + std::strerror(errno));
  }

  /// Reads the next line, without its newline. @return false at the end of the file.
  bool next(std::string& line) {
    line.clear();
    bool found = false;
    while (!found && (!rest_.empty() || refill())) {
      const std::size_t end = rest_.find('\n');
      found = end != std::string_view::npos;
      line.append(rest_.substr(0, end));
      rest_.remove_prefix(found ? end + 1 : rest_.size());
      if (line.size() > kRecordBounds.bytes) {
        throw Error(place() + ": longer than " + std::to_string(kRecordBounds.bytes) +
                    " bytes; this is not a record");
      }
    }
    ++number_;
    return found || !line.empty();
  }

  /// "records.jsonl, line 3": the place of the current line.
  [[nodiscard]] std::string place() const {
    return path_.string() + ", line " + std::to_string(number_);
  }

 private:
  bool refill() {
    file_.read(chunk_.data(), static_cast<std::streamsize>(chunk_.size()));
    if (file_.bad()) throw Error("cannot read " + path_.string() + ": " + std::strerror(errno));
    rest_ = {chunk_.data(), static_cast<std::size_t>(file_.gcount())};
    return !rest_.empty();
  }

  const std::filesystem::path& path_;
  std::ifstream file_;
  std::array<char, kChunkBytes> chunk_{};
  std::string_view rest_{};  ///< The part of the chunk that was not returned yet.
  std::size_t number_ = 1;
};

/// The document of a line; nullopt if the line is not JSON, that is, torn.
std::optional<Json> parse_line(const std::string& line, const std::string& place) {
  try {
    return parse_json(line, place, kRecordBounds);
  } catch (const ConfigError&) {
    // It may be JSON, but have a duplicate key or be nested too deeply. A crash leaves zero bytes
    // where the file system had not written yet.
    if (is_json(line)) throw;
    return std::nullopt;
  }
}

/// The record of a line; nullopt if the line is torn.
std::optional<Record> record_of_line(const std::string& line, const std::string& place) {
  try {
    const std::optional<Json> document = parse_line(line, place);
    return document ? std::optional(from_json(*document, place)) : std::nullopt;
  } catch (const Error& error) {
    throw Error(std::string(error.what()) +
                "\ndelete this line (its run is then repeated), or set all records aside with "
                "`runahead sweep --fresh`");
  }
}

/// The bytes of a file from `begin` to `end`. @throws Error if fewer can be read.
std::string read_bytes(std::ifstream& file, const std::filesystem::path& path, std::uint64_t begin,
                       std::uint64_t end) {
  std::string bytes(end - begin, '\0');
  file.seekg(static_cast<std::streamoff>(begin));
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (file.eof()) throw Error("cannot read " + path.string() + ": it became shorter meanwhile");
  if (!file) throw Error("cannot read " + path.string() + ": " + std::strerror(errno));
  return bytes;
}

/// The offset after the last newline of a file of `bytes` bytes; 0 without a newline.
std::uint64_t last_line_begin(std::ifstream& file, const std::filesystem::path& path,
                              std::uint64_t bytes) {
  for (std::uint64_t end = bytes; end > 0;) {
    const std::uint64_t begin = end - std::min<std::uint64_t>(end, kChunkBytes);
    const std::size_t newline = read_bytes(file, path, begin, end).rfind('\n');
    if (newline != std::string::npos) return begin + newline + 1;
    end = begin;
  }
  return 0;
}

}  // namespace

void write_record(const std::filesystem::path& path, const Record& record) {
  write_new_file(path, dump_json(to_json(record), 2) + "\n");
}

void append_jsonl(const std::filesystem::path& path, const Record& record) {
  append_line(path, dump_json(to_json(record)));
}

Record read_record(const std::filesystem::path& path) {
  Json document;
  try {
    document = read_json_file(path, kRecordBounds);
  } catch (const ConfigError& error) {
    throw Error(error.what());
  }
  return from_json(document, path.string());
}

void for_each_record(const std::filesystem::path& path,
                     const std::function<void(const Record&)>& visit) {
  if (!std::filesystem::exists(path)) return;
  LineReader lines(path);
  std::string line;
  for (std::string place = lines.place(); lines.next(line); place = lines.place()) {
    if (const std::optional<Record> record = record_of_line(line, place)) visit(*record);
  }
}

std::vector<Record> read_records(const std::filesystem::path& path) {
  std::vector<Record> records;
  for_each_record(path, [&records](const Record& record) { records.push_back(record); });
  return records;
}

std::vector<std::filesystem::path> shard_files(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder / "shards", error), end;
       !error && entry != end; entry.increment(error)) {
    if (entry->path().extension() == ".jsonl") files.push_back(entry->path());
  }
  std::ranges::sort(files);
  return files;
}

std::uint64_t cut_torn_line(const std::filesystem::path& path) {
  std::error_code error;
  const std::uint64_t bytes = std::filesystem::file_size(path, error);
  if (error) return 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Error("cannot read " + path.string() + ": " + std::strerror(errno));
  const std::uint64_t begin = last_line_begin(file, path, bytes);
  if (begin == bytes) return 0;
  const bool may_be_a_record = bytes - begin <= kRecordBounds.bytes;
  if (may_be_a_record && is_json(read_bytes(file, path, begin, bytes))) return 0;
  std::filesystem::resize_file(path, begin, error);
  if (error) throw Error("cannot mend the last line of " + path.string() + ": " + error.message());
  return bytes - begin;
}

}  // namespace runahead::record
