#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "apps/runahead/command.h"
#include "apps/runahead/programs.h"
#include "apps/runahead/unfinished_sweep.h"
#include "core/base/file.h"
#include "core/base/log.h"
#include "core/base/text.h"
#include "core/report/summary.h"

namespace runahead::apps {

namespace {

struct ReportOptions {
  std::vector<std::string> folders{};
  std::string out{};
  bool table = false;
};

/// Whether `path` holds results of `monitor`, `tune` or `reproduce`, which Python draws directly.
bool is_drawn_as_it_is(const std::filesystem::path& path) {
  return std::filesystem::is_regular_file(path) || std::filesystem::exists(path / "tune.json") ||
         std::filesystem::exists(path / "reproduce.json");
}

std::filesystem::path find_script() { return project_folder() / "scripts" / "report.py"; }

[[noreturn]] void draw(const ReportOptions& options) {
  std::vector<std::string> arguments{find_script().string()};
  if (!options.out.empty()) arguments.push_back("--out=" + options.out);
  arguments.emplace_back("--");
  arguments.insert(arguments.end(), options.folders.begin(), options.folders.end());
  become(find_python(), arguments);
}

void write_table(const report::Summary& summary, const std::filesystem::path& out) {
  write_file_atomically(out / "table.csv", summary.to_csv());
  write_file_atomically(out / "table.md", summary.to_markdown());
  std::cout << summary.to_markdown();
}

/// @param warnings  For the report, besides those about its records.
ExitCode report_records(const ReportOptions& options, std::vector<std::string> warnings) {
  const std::filesystem::path script = options.table ? "" : find_script();
  const std::filesystem::path python = options.table ? "" : find_python();
  const report::Summary summary({options.folders.begin(), options.folders.end()},
                                std::move(warnings));
  for (const std::string& warning : summary.warnings()) log_warning(warning);
  if (!summary.empty_folders().empty()) {
    throw ConfigError("no records in '" + joined(summary.empty_folders(), "', '") +
                      "'; give the folder of a run (it has record.json) or of a sweep (it has "
                      "records.jsonl)");
  }
  std::filesystem::path out = options.out;
  if (out.empty()) out = std::filesystem::path(options.folders.front()) / "report";
  make_folder(out);
  if (options.table) {
    write_table(summary, out);
    return ExitCode::kOk;
  }
  const std::filesystem::path path = out / "summary.json";
  write_file_atomically(path, dump_json(summary.to_json()) + "\n");
  become(python, {script.string(), "--summary=" + path.string(), "--out=" + out.string()});
}

void refuse_repeated(const std::vector<std::string>& folders) {
  for (auto folder = folders.begin(); folder != folders.end(); ++folder) {
    const auto earlier = std::find_if(folders.begin(), folder, [&](const std::string& other) {
      return std::filesystem::equivalent(other, *folder);
    });
    if (earlier != folder) {
      throw ConfigError("'" + *earlier + "' and '" + *folder +
                        "' are the same; give each folder once");
    }
  }
}

ExitCode report(const ReportOptions& options) {
  std::vector<std::string> warnings;
  for (const std::string& folder : options.folders) {
    if (!std::filesystem::exists(folder)) {
      throw ConfigError(folder +
                        ": no such file or folder; give the folder of a run or of a sweep, or " +
                        "the CSV file that `runahead monitor --out` wrote");
    }
    if (!options.table) require_utf8_name(folder);
    if (auto warning = warning_of_missing_runs(folder)) warnings.push_back(*std::move(warning));
  }
  refuse_repeated(options.folders);
  if (std::ranges::none_of(options.folders, is_drawn_as_it_is)) {
    return report_records(options, std::move(warnings));
  }
  if (options.table) {
    const auto drawn = std::ranges::find_if(options.folders, is_drawn_as_it_is);
    throw ConfigError("--table: found '" + *drawn +
                      "'; allowed: the folders of runs or of sweeps, which hold records");
  }
  draw(options);
}

}  // namespace

Command add_report_command(CLI::App& program) {
  const auto options = std::make_shared<ReportOptions>();
  CLI::App* parser =
      program.add_subcommand("report", "Draw charts (PNG, SVG) and one HTML page from records");
  parser
      ->add_option(
          "folder", options->folders,
          "Folders of runs or sweeps (two of the same kind are compared), or sample files that "
          "`monitor` wrote")
      ->required();
  parser->add_option(
      "--out", options->out,
      "Folder to write to (default: <first folder>/report; for a sample file, its folder)");
  parser->add_flag("--table", options->table,
                   "Print a table instead: medians and spreads, or the ratios of two sweeps; write "
                   "it as CSV and Markdown, too");
  return {.parser = parser,
          .execute = [options] { return report(*options); },
          .missing = {{"folder",
                       "no folder given; give the folder of a run or of a sweep, as in `runahead "
                       "report runs/quickstart`"}}};
}

}  // namespace runahead::apps
