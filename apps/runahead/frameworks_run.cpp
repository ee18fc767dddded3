#include "apps/runahead/frameworks_run.h"

#include <cstdio>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "apps/runahead/programs.h"
#include "apps/runahead/scratch_folder.h"
#include "apps/runahead/text_table.h"
#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/sweep/program_caller.h"

namespace runahead::apps {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxDocumentBytes = std::size_t{16} << 20;

/// Program, case and name of a figure.
using FigureKey = std::tuple<std::string, std::string, std::string>;

/// The figures that a framework has, in the order of its document.
using Figures = std::vector<std::pair<FigureKey, double>>;

void call_peers(const config::ProgramConfig& program, const fs::path& documents) {
  std::vector<std::string> arguments{"--out", documents.string(), "--runs",
                                     std::to_string(program.runs)};
  if (program.small_sizes) arguments.emplace_back("--quick");
  const ScratchFolder scratch;
  static_cast<void>(sweep::ProgramCaller(scratch.path())
                        .call(project_folder() / "scripts" / "peers" / "all", arguments));
}

/// Those that were written, by the framework's name.
Json read_documents(const fs::path& folder) {
  Json documents = Json::object();
  for (const auto& file : fs::directory_iterator(folder)) {
    if (file.path().extension() != ".json") continue;
    documents[file.path().stem().string()] =
        parse_json(read_file(file.path(), kMaxDocumentBytes), file.path().string());
  }
  return documents;
}

/// Null where there is none.
Json member(const Json& object, const std::string& key) {
  return object.is_object() ? object.value(key, Json()) : Json();
}

Figures figures_of(const Json& document) {
  Figures figures;
  const Json programs = member(document, "programs");
  for (const auto& [program, content] : programs.items()) {
    const Json cases = member(content, "cases");
    for (const auto& [name, result] : cases.items()) {
      const Json spreads = member(result, "figures");
      for (const auto& [figure, spread] : spreads.items()) {
        const Json median = member(spread, "median");
        if (!median.is_number()) continue;
        figures.emplace_back(FigureKey{program, name, figure}, median.get<double>());
      }
    }
  }
  return figures;
}

std::string number_text(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", value);
  return text;
}

}  // namespace

record::Record run_frameworks(const config::ExperimentConfig& config, const fs::path& documents) {
  record::Record record = record::make_record(config, 0, Json::object());
  fs::create_directories(documents);
  const TimePoint started = Clock::now();
  try {
    call_peers(config.program, documents);
  } catch (const InterruptedError&) {
    record.status = record::Status::kInterrupted;
    record.error = "interrupted by a signal";
  } catch (const Error& error) {
    record.status = record::Status::kFailed;
    record.error = error.what();
  }
  record.time.total_seconds = seconds_between(started, Clock::now());
  record.results[config.experiment] = {{"peers", read_documents(documents)}};
  return record;
}

std::string frameworks_text(const record::Record& record) {
  std::vector<TextTable::Column> columns{{"program, case, figure", TextTable::Align::kLeft}};
  std::vector<FigureKey> rows;
  std::map<FigureKey, std::map<std::string, double>> medians;
  std::string absent;
  const Json peers = member(member(record.results, record.experiment), "peers");
  for (const auto& [name, document] : peers.items()) {
    const Figures figures = figures_of(document);
    if (figures.empty()) {
      absent += name + " has no figures: " + member(document, "reason").dump() + "\n";
      continue;
    }
    columns.push_back({name});
    for (const auto& [key, median] : figures) {
      if (!medians.contains(key)) rows.push_back(key);
      medians[key][name] = median;
    }
  }
  TextTable table(columns);
  for (const FigureKey& key : rows) {
    const auto& [program, name, figure] = key;
    std::vector<std::string> cells{program + ", " + name + ", " + figure};
    for (std::size_t i = 1; i < columns.size(); ++i) {
      const auto found = medians[key].find(columns[i].header);
      cells.push_back(found == medians[key].end() ? "-" : number_text(found->second));
    }
    table.add_row(std::move(cells));
  }
  return (rows.empty() ? "" : table.to_string()) + absent;
}

}  // namespace runahead::apps
