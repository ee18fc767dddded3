#include "core/record/record_file.h"

#include <string_view>

#include "core/base/error.h"
#include "core/base/file.h"

namespace runahead::record {
namespace {

/// A record lists up to 10^6 batches; a sweep's file has up to 10^5 records.
constexpr JsonBounds kRecordBounds{.bytes = std::size_t{256} << 20, .depth = 64};
constexpr std::size_t kMaxFileBytes = std::size_t{4} << 30;

}  // namespace

void write_record(const std::filesystem::path& path, const Record& record) {
  write_file_atomically(path, dump_json(to_json(record), 2) + "\n");
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

std::vector<Record> read_records(const std::filesystem::path& path) {
  std::vector<Record> records;
  if (!std::filesystem::exists(path)) {
    return records;
  }
  const std::string text = read_file(path, kMaxFileBytes);
  std::size_t line_number = 0;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    const std::string_view line = std::string_view(text).substr(start, end - start);
    const std::string source = path.string() + ", line " + std::to_string(++line_number);
    start = end + 1;
    if (Json::accept(line)) {
      records.push_back(from_json(parse_json(line, source, kRecordBounds), source));
    }
  }
  return records;
}

}  // namespace runahead::record
