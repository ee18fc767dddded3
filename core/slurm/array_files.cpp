#include "core/slurm/array_files.h"

#include <algorithm>
#include <cstdio>
#include <fstream>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/log.h"

namespace runahead::slurm {

namespace fs = std::filesystem;

namespace {

constexpr std::streamoff kOutputEndBytes = 4096;

/// The highest number of a folder in `DIR/slurm`; 0 if there is none.
int last_number(const fs::path& sweep_folder) {
  int last = 0;
  std::error_code error;
  for (fs::directory_iterator entry(sweep_folder / "slurm", error), end; !error && entry != end;
       entry.increment(error)) {
    int number = 0;
    if (std::sscanf(entry->path().filename().c_str(), "%d", &number) == 1) {
      last = std::max(last, number);
    }
  }
  return last;
}

fs::path folder_of(const fs::path& sweep_folder, int number) {
  const std::string digits = std::to_string(number);
  const std::size_t zeros = 4 - std::min<std::size_t>(digits.size(), 4);
  return sweep_folder / "slurm" / (std::string(zeros, '0') + digits);
}

}  // namespace

fs::path ArrayFiles::output(std::int64_t task) const {
  return folder / ("task-" + std::to_string(task) + ".out");
}

std::string ArrayFiles::output_end(std::int64_t task) const {
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

void ArrayFiles::save() const {
  const Json document = {
      {"name", name}, {"job_id", job_id}, {"settings", settings}, {"shards", shards}};
  write_file_atomically(folder / "array.json", dump_json(document) + "\n");
}

void ArrayFiles::close() const { write_file_atomically(folder / "closed", ""); }

fs::path next_array_folder(const fs::path& sweep_folder) {
  return folder_of(sweep_folder, last_number(sweep_folder) + 1);
}

std::optional<ArrayFiles> open_array(const fs::path& sweep_folder) {
  const int last = last_number(sweep_folder);
  ArrayFiles files{.folder = folder_of(sweep_folder, last)};
  if (last == 0 || fs::exists(files.folder / "closed")) return std::nullopt;
  try {
    const Json document = read_json_file(files.folder / "array.json");
    files.name = document.at("name").get<std::string>();
    files.job_id = document.at("job_id").get<std::string>();
    files.settings = document.at("settings");
    files.shards = document.at("shards").get<std::vector<std::int64_t>>();
    return files;
  } catch (const std::exception& error) {
    log_warning("'" + files.folder.string() + "' is not a submission of this version (" +
                error.what() + "); ignoring it: see `squeue` for what still runs");
    files.close();
    return std::nullopt;
  }
}

}  // namespace runahead::slurm
