#include <unistd.h>

#include <filesystem>
#include <iostream>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "apps/runahead/command.h"
#include "apps/runahead/programs.h"
#include "apps/runahead/reproduce_progress.h"
#include "apps/runahead/reproduce_report.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/log.h"
#include "core/base/result_folder.h"
#include "core/base/scratch_folder.h"
#include "core/base/terminal.h"
#include "core/record/record_file.h"
#include "core/reproduce/claims.h"
#include "core/reproduce/gpu_check_results.h"
#include "core/reproduce/reproduction.h"
#include "core/reproduce/run_plan.h"
#include "core/sweep/process_cell_runner.h"
#include "core/sweep/program_caller.h"

namespace runahead::apps {

namespace {

namespace fs = std::filesystem;

constexpr double kLongestReproducedRunSeconds = 300.0;  // About five times the slowest run.

struct ReproduceOptions {
  bool quick = false;
  std::string out{};
  std::string only{};
  bool baselines = false;
  std::string judge{};
  bool json = false;
  bool progress = false;
};

bool is_coloured() { return wants_colour(STDOUT_FILENO); }

fs::path tutorials() { return project_folder() / "configs" / "tutorials"; }

/// The devices that this machine has.
std::vector<std::string> available_devices(const fs::path& cell_program) {
  const ScratchFolder scratch;
  const std::string printed =
      sweep::ProgramCaller(scratch.path()).call(cell_program, {"devices", "--json"});
  std::vector<std::string> names;
  for (const Json& device : parse_json(printed, cell_program.string())) {
    if (device["available"].get<bool>()) names.push_back(device["device"].get<std::string>());
  }
  return names;
}

/// Runs the job's script. @param packages  The folder of the package `runahead`.
record::Record run_in_python(const reproduce::ReproduceJob& job, const fs::path& packages) {
  record::Record record = record::make_record(job.cell.config, job.process, job.cell.axes);
  try {
    const ScratchFolder scratch;
    const fs::path config = scratch.path() / "config.json";
    write_file_atomically(config, dump_json(config::to_json(job.cell.config), 2));
    std::vector<std::string> words{"PYTHONPATH=" + packages.string(), find_python().string(),
                                   (project_folder() / job.python.front()).string()};
    for (const std::string& argument : std::span(job.python).subspan(1)) {
      words.push_back(argument == "{config}" ? config.string() : argument);
    }
    const std::string printed = sweep::ProgramCaller(scratch.path()).call("/usr/bin/env", words);
    record.results[job.cell.config.experiment] = parse_json(printed, job.python.front());
  } catch (const InterruptedError&) {
    throw;
  } catch (const Error& error) {
    record.status = record::Status::kFailed;
    record.error = error.what();
  }
  return record;
}

/// Whether to run the gallery, which takes too long for a quick run.
bool asks_for_gallery(const ReproduceOptions& options) {
  return !options.quick && (options.only.empty() || options.only == "gallery");
}

std::vector<reproduce::Document> documents(const ReproduceOptions& options) {
  if (options.quick && options.only == "gallery") {
    throw ConfigError("--only gallery: found with --quick, which leaves the gallery out; drop one");
  }
  std::vector<reproduce::Document> documents = reproduce::all_documents(options.only);
  if (!asks_for_gallery(options)) {
    std::erase_if(documents, [](const reproduce::Document& document) {
      return document.claims.front().experiment == "gallery";
    });
  }
  return documents;
}

/// A run of `reproduce`, from its options to its exit code.
class ReproduceRun {
 public:
  explicit ReproduceRun(const ReproduceOptions& options)
      : options_(options),
        documents_(documents(options)),
        cell_program_(find_cell_program()),
        folder_(options.out, "reproduce"),
        path_(fs::absolute(folder_.path())) {
    report_.is_quick = options.quick;
    report_.devices = available_devices(cell_program_);
  }

  ExitCode execute() {
    measure();
    for (const reproduce::Document& document : documents_) {
      DocumentVerdicts found{.name = document.name};
      for (const std::string& device : report_.devices) {
        for (auto& verdict : reproduction_.verdicts(document.claims, device)) {
          found.verdicts.push_back(std::move(verdict));
        }
      }
      report_.documents.push_back(std::move(found));
    }
    if (reproduction_.was_interrupted()) report_.status = "interrupted";
    print();
    if (!reproduction_.was_interrupted() && options_.baselines) run_baselines();
    std::string path = (path_ / "reproduce.json").string();
    if (!reproduction_.was_interrupted()) {
      const std::vector<std::string> drawn = draw_report(path_, path_ / "report");
      if (!drawn.empty()) path = drawn.back();  // The page comes last.
    }
    std::cerr << "results: " << path << '\n';
    if (report_.status == "interrupted") return ExitCode::kInterrupted;
    return all_met(report_) ? ExitCode::kOk : ExitCode::kClaimsFailed;
  }

 private:
  void measure() {
    auto jobs = reproduce::make_run_plan({.configs = tutorials(),
                                          .devices = report_.devices,
                                          .experiment = options_.only,
                                          .is_quick = options_.quick});
    if (asks_for_gallery(options_)) {
      const auto gallery = reproduce::gallery_plan();
      jobs.insert(jobs.end(), gallery.begin(), gallery.end());
    }
    make_folder(path_ / "cells");
    const auto runner =
        sweep::make_process_cell_runner({.program = cell_program_,
                                         .cells_folder = path_ / "cells",
                                         .timeout_seconds = kLongestReproducedRunSeconds});
    const fs::path packages =  // The packages of the same build.
        cell_program_.parent_path().parent_path() / "python";
    ReproduceProgress progress(
        std::cerr, [] { return terminal_columns(STDERR_FILENO); }, options_.progress);
    reproduce::Reproduction::Means means{
        .runner = *runner,
        .run_in_python = [&](const auto& job) { return run_in_python(job, packages); },
        .on_end =
            [&](const auto& job, const auto& record, std::size_t done, std::size_t total) {
              keep(job, record);
              progress.end(job, record, done, total);
            }};
    if (terminal_columns(STDERR_FILENO)) {  // Elsewhere it would show nothing, and runs are timed.
      means.on_look = [&](const auto& job, const auto& activity, auto done, auto total) {
        progress.look(job, activity, done, total);
      };
    }
    reproduction_.run(jobs, all_claims(), means);
    progress.clear();
  }

  std::vector<reproduce::Claim> all_claims() const {
    std::vector<reproduce::Claim> claims;
    for (const reproduce::Document& document : documents_) {
      claims.insert(claims.end(), document.claims.begin(), document.claims.end());
    }
    return claims;
  }

  void keep(const reproduce::ReproduceJob& job, const record::Record& record) {
    folder_.require_in_place();
    record::append_jsonl(path_ / "records.jsonl", record);
    report_.runs.push_back({.name = job.run,
                            .device = job.device,
                            .process = job.process,
                            .attempt = job.attempt,
                            .id = record.id,
                            .status = record.status});
  }

  /// Runs the tutorials on the other frameworks that are set up; their documents join the page.
  void run_baselines() {
    try {
      std::vector<std::string> arguments{"--out", (path_ / "baselines").string()};
      if (options_.quick) arguments.emplace_back("--quick");
      const ScratchFolder scratch;
      static_cast<void>(sweep::ProgramCaller(scratch.path())
                            .call(project_folder() / "scripts" / "baselines" / "run", arguments));
    } catch (const InterruptedError&) {
      report_.status = "interrupted";
      write_document();
    } catch (const Error& error) {
      log_warning(std::string("not every baseline was measured: ") + error.what());
    }
  }

  std::string write_document() const {
    std::string document = dump_json(reproduce_json(report_), 2) + "\n";
    write_file_atomically(path_ / "reproduce.json", document);
    return document;
  }

  void print() const {
    const std::string document = write_document();
    std::cout << (options_.json ? document
                                : reproduce_text(report_, {.is_coloured = is_coloured()}))
              << std::flush;
  }

  const ReproduceOptions& options_;
  std::vector<reproduce::Document> documents_;
  fs::path cell_program_;
  const ResultFolder folder_;
  const fs::path path_;  ///< Absolute.
  reproduce::Reproduction reproduction_{};
  ReproduceReport report_{};
};

/// Judges a folder that scripts/gpu_check wrote.
ExitCode judge_folder(const ReproduceOptions& options) {
  const fs::path configs = project_folder() / "configs" / "cuda";
  const reproduce::Measured measured = reproduce::read_gpu_check(options.judge, configs);
  const reproduce::Document document = reproduce::cuda_claims();
  ReproduceReport report{.devices = {"cuda"}, .documents = {{.name = document.name}}};
  for (const reproduce::Claim& claim : document.claims) {
    report.documents.front().verdicts.push_back(reproduce::judge(claim, "cuda", {&measured}));
  }
  std::cout << (options.json
                    ? dump_json(reproduce_json(report), 2) + "\n"
                    : reproduce_text(report, {.is_coloured = is_coloured(), .lists_all = true}))
            << std::flush;
  return all_met(report) ? ExitCode::kOk : ExitCode::kClaimsFailed;
}

ExitCode run(const ReproduceOptions& options) {
  return options.judge.empty() ? ReproduceRun(options).execute() : judge_folder(options);
}

}  // namespace

Command add_reproduce_command(CLI::App& program) {
  const auto options = std::make_shared<ReproduceOptions>();
  CLI::App* parser = program.add_subcommand(
      "reproduce",
      "Run the experiments of the JAX, Paddle and MXNet tutorials and check each claim");
  parser->add_flag("--quick", options->quick,
                   "Smaller sizes, without the gallery: about 3 minutes");
  parser->add_option("--out", options->out,
                     "Folder of the results (default: runs/<time>-reproduce)");
  parser->add_option("--only", options->only,
                     "Only the claims about this: " + reproduce::claimed_experiments());
  parser->add_flag(
      "--baselines", options->baselines,
      "Also run the tutorials in the other frameworks that scripts/baselines/setup installed (up "
      "to 30 minutes each)");
  parser->add_option(
      "--judge", options->judge,
      "Run nothing; judge the claims about CUDA by what scripts/gpu_check wrote to this "
      "folder");
  parser->add_flag("--json", options->json, "Print one JSON document instead of the table");
  parser->add_flag("--progress", options->progress,
                   "Show progress even if stderr is not a terminal");
  parser->footer(
      "Takes about 15 minutes on 2 cores. The expected results depend on the device: cpu is\n"
      "synchronous, so claims about asynchrony should fail there. A claim with an unexpected\n"
      "result runs a second time. If the two results differ, it runs a third time: the majority\n"
      "counts.\n");
  return {parser, [options] { return run(*options); }};
}

}  // namespace runahead::apps
