#include "core/slurm/array_folder.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <fstream>
#include <string_view>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/json.h"
#include "core/base/json_number.h"

namespace runahead::slurm {

namespace fs = std::filesystem;

namespace {

constexpr std::streamoff kOutputEndBytes = 4096;

/// The number between a prefix and a suffix, of "result-12.json" say.
std::optional<std::int64_t> number_in(std::string_view name, std::string_view prefix,
                                      std::string_view suffix) {
  if (!name.starts_with(prefix) || !name.ends_with(suffix)) return std::nullopt;
  if (name.size() <= prefix.size() + suffix.size()) return std::nullopt;
  name.remove_prefix(prefix.size());
  name.remove_suffix(suffix.size());
  std::int64_t number = 0;
  const auto parsed = std::from_chars(name.data(), name.data() + name.size(), number);
  const bool is_whole = parsed.ec == std::errc{} && parsed.ptr == name.data() + name.size();
  return is_whole ? std::optional(number) : std::nullopt;
}

Json read_document(const fs::path& path) {
  try {
    return read_json_file(path);
  } catch (const ConfigError& error) {
    throw Error(error.what());
  }
}

/// The integer at a key. @throws Error, or Json::exception if there is no such key.
template <typename Integer>
Integer integer_at(const Json& document, const char* key) {
  const Json& found = document.at(key);
  if (const std::optional<Integer> integer = integer_as<Integer>(found)) return *integer;
  throw Error(std::string(key) + " is " + dump_json(found));
}

ArrayHeader header_of(const Json& document) {
  ArrayHeader header{.name = document.at("name").get<std::string>(),
                     .version = document.at("version").get<std::string>(),
                     .cells_folder = document.at("cells_folder").get<std::string>()};
  if (!document.at("timeout_seconds").is_null()) {
    header.needs.timeout_seconds = document.at("timeout_seconds").get<double>();
  }
  if (!document.at("memory_limit_bytes").is_null()) {
    header.needs.memory_limit_bytes = integer_at<std::uint64_t>(document, "memory_limit_bytes");
  }
  header.needs.cpus = integer_at<int>(document, "cpus");
  header.needs.options = document.at("options").get<std::vector<std::string>>();
  // Not in what earlier versions wrote.
  const auto progress_seconds = document.find("progress_seconds");
  if (progress_seconds != document.end() && !progress_seconds->is_null()) {
    header.progress_seconds = progress_seconds->get<double>();
    if (!(*header.progress_seconds > 0.0)) throw Error("progress_seconds is not above 0");
  }
  return header;
}

/// The numbers of the folders below `parent`, ascending.
std::vector<std::int64_t> numbers_in(const fs::path& parent) {
  std::vector<std::int64_t> numbers;
  std::error_code error;
  for (fs::directory_iterator entry(parent, error), end; !error && entry != end;
       entry.increment(error)) {
    const auto number = number_in(entry->path().filename().string(), "", "");
    if (number && entry->is_directory()) numbers.push_back(*number);
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

fs::path folder_of(const fs::path& parent, std::int64_t number) {
  char name[32];
  std::snprintf(name, sizeof name, "%04lld", static_cast<long long>(number));
  return parent / name;
}

}  // namespace

std::vector<ArrayFolder> ArrayFolder::open_ones(const fs::path& parent) {
  std::vector<ArrayFolder> folders;
  for (const std::int64_t number : numbers_in(parent)) {
    const fs::path path = folder_of(parent, number);
    if (!fs::exists(path / "closed")) folders.emplace_back(path);
  }
  return folders;
}

ArrayFolder ArrayFolder::make_next(const fs::path& parent) {
  const std::vector<std::int64_t> numbers = numbers_in(parent);
  const fs::path path = folder_of(parent, numbers.empty() ? 1 : numbers.back() + 1);
  std::error_code error;
  fs::create_directories(path, error);
  if (error) throw Error("'" + path.string() + "' could not be made: " + error.message());
  return ArrayFolder(path);
}

fs::path ArrayFolder::result(std::int64_t task) const {
  return path_ / ("result-" + std::to_string(task) + ".json");
}

fs::path ArrayFolder::output(std::int64_t task) const {
  return path_ / ("task-" + std::to_string(task) + ".out");
}

void ArrayFolder::write_header(const ArrayHeader& header) const {
  const TaskNeeds& needs = header.needs;
  Json document = {{"name", header.name},
                   {"version", header.version},
                   {"cells_folder", header.cells_folder.string()},
                   {"timeout_seconds", nullptr},
                   {"memory_limit_bytes", nullptr},
                   {"cpus", needs.cpus},
                   {"options", needs.options},
                   {"progress_seconds", nullptr}};
  if (needs.timeout_seconds) document["timeout_seconds"] = *needs.timeout_seconds;
  if (needs.memory_limit_bytes) document["memory_limit_bytes"] = *needs.memory_limit_bytes;
  if (header.progress_seconds) document["progress_seconds"] = *header.progress_seconds;
  write_file_atomically(path_ / "array.json", dump_json(document, 2) + "\n");
}

ArrayHeader ArrayFolder::read_header() const {
  const fs::path path = path_ / "array.json";
  const Json document = read_document(path);
  std::string reason;
  try {
    return header_of(document);
  } catch (const Json::exception& error) {
    reason = error.what();
  } catch (const Error& error) {
    reason = error.what();
  }
  throw Error(path.string() + ": is no array of this program (" + reason +
              "); remove its folder to do without it");
}

void ArrayFolder::write_job_id(const std::string& job_id) const {
  Json document = Json::object();
  document["job_id"] = job_id;
  write_file_atomically(path_ / "job.json", dump_json(document) + "\n");
}

std::optional<std::string> ArrayFolder::read_job_id() const {
  const fs::path path = path_ / "job.json";
  if (!fs::exists(path)) return std::nullopt;
  const Json document = read_document(path);
  if (document.is_object() && document.contains("job_id") && document["job_id"].is_string()) {
    return document["job_id"].get<std::string>();
  }
  throw Error(path.string() + ": has no job_id");
}

std::set<std::int64_t> ArrayFolder::results() const {
  std::set<std::int64_t> tasks;
  std::error_code error;
  for (fs::directory_iterator entry(path_, error), end; !error && entry != end;
       entry.increment(error)) {
    const auto task = number_in(entry->path().filename().string(), "result-", ".json");
    if (task) tasks.insert(*task);
  }
  if (error) throw Error("'" + path_.string() + "' cannot be listed: " + error.message());
  return tasks;
}

void ArrayFolder::mark_stored(std::int64_t task) const {
  append_line(path_ / "stored.txt", std::to_string(task));
  std::error_code ignored;
  fs::remove(result(task), ignored);
}

std::set<std::int64_t> ArrayFolder::stored() const {
  std::set<std::int64_t> tasks;
  std::ifstream file(path_ / "stored.txt");
  for (std::string line; std::getline(file, line);) {
    if (const auto task = number_in(line, "", "")) tasks.insert(*task);
  }
  return tasks;
}

std::string ArrayFolder::output_end(std::int64_t task) const {
  std::ifstream file(output(task), std::ios::binary | std::ios::ate);
  if (!file) return "";
  const std::streamoff size = file.tellg();
  const std::streamoff start = std::max<std::streamoff>(0, size - kOutputEndBytes);
  std::string text(static_cast<std::size_t>(size - start), '\0');
  file.seekg(start);
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  return text;
}

void ArrayFolder::close() const { write_file_atomically(path_ / "closed", ""); }

void ArrayFolder::remove() const {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace runahead::slurm
