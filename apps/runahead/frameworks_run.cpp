#include "apps/runahead/frameworks_run.h"

#include <algorithm>
#include <vector>

#include "apps/runahead/programs.h"
#include "apps/runahead/scratch_folder.h"
#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/sweep/program_caller.h"

namespace runahead::apps {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxDocumentBytes = std::size_t{16} << 20;

void make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw Error("'" + folder.string() + "' cannot be made: " + error.message());
}

void call_peers(const config::ProgramConfig& program, const fs::path& documents) {
  std::vector<std::string> arguments{"--out", documents.string(), "--runs",
                                     std::to_string(program.runs)};
  if (program.small_sizes) arguments.emplace_back("--quick");
  const ScratchFolder scratch;
  static_cast<void>(sweep::ProgramCaller(scratch.path())
                        .call(project_folder() / "scripts" / "peers" / "all", arguments));
}

/// A document that cannot be read is one of a framework that failed.
Json read_document(const fs::path& path) {
  try {
    return parse_json(read_file(path, kMaxDocumentBytes), path.string());
  } catch (const Error& error) {
    return {{"status", "failed"}, {"reason", error.what()}};
  }
}

/// Those that were written, by the framework's name, in its order.
Json read_documents(const fs::path& folder) {
  std::vector<fs::path> paths;
  for (const auto& file : fs::directory_iterator(folder)) {
    if (file.path().extension() == ".json") paths.push_back(file.path());
  }
  std::sort(paths.begin(), paths.end());
  Json documents = Json::object();
  for (const fs::path& path : paths) documents[path.stem().string()] = read_document(path);
  return documents;
}

std::string text_at(const Json& document, const std::string& key) {
  const Json value = document.is_object() ? document.value(key, Json()) : Json();
  return value.is_string() ? value.get<std::string>() : "";
}

/// "jax: train none: no memory", of each that failed or had no time; empty if none did.
std::string failures(const Json& documents) {
  std::string text;
  for (const auto& [name, document] : documents.items()) {
    const std::string status = text_at(document, "status");
    if (status == "ok" || status == "absent") continue;
    text += (text.empty() ? "" : "; ") + name + ": " + text_at(document, "reason");
  }
  return text;
}

}  // namespace

record::Record run_frameworks(const config::ExperimentConfig& config, const fs::path& documents) {
  record::Record record = record::make_record(config, 0, Json::object());
  make_folder(documents);
  const TimePoint started = Clock::now();
  try {
    call_peers(config.program, documents);
  } catch (const InterruptedError&) {
    record.status = record::Status::kInterrupted;
    record.error = "interrupted by a signal";
  } catch (const UnavailableError&) {
    throw;
  } catch (const Error& error) {
    record.status = record::Status::kFailed;
    record.error = error.what();
  }
  record.time.total_seconds = seconds_between(started, Clock::now());
  const Json peers = read_documents(documents);
  const std::string reasons = failures(peers);
  if (record.status == record::Status::kFailed && !reasons.empty()) record.error = reasons;
  record.results[config.experiment] = {{"peers", peers}};
  return record;
}

}  // namespace runahead::apps
