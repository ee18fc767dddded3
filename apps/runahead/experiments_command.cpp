#include <iostream>

#include "apps/runahead/command.h"
#include "apps/runahead/text_table.h"
#include "core/config/experiment_kinds.h"
#include "core/record/figures.h"

namespace runahead::apps {
namespace {

void print_kinds(std::ostream& out) {
  TextTable table(
      {{"experiment", TextTable::Align::kLeft}, {"what it measures", TextTable::Align::kLeft}});
  for (const config::ExperimentKind& kind : config::experiment_kinds()) {
    table.add_row({kind.name, kind.doc});
  }
  out << table.to_string();
}

void print_results(const config::ExperimentKind& kind, std::ostream& out) {
  if (kind.results.empty()) return;
  TextTable table(
      {{"results." + kind.name, TextTable::Align::kLeft}, {"is", TextTable::Align::kLeft}});
  for (const config::ResultKey& key : kind.results) table.add_row({key.name, key.doc});
  out << '\n' << table.to_string();
}

/// The figures that every record has room for.
void print_figures(std::ostream& out) {
  TextTable table({{"figure", TextTable::Align::kLeft},
                   {"unit", TextTable::Align::kLeft},
                   {"in a record", TextTable::Align::kLeft},
                   {"is", TextTable::Align::kLeft}});
  for (const record::Figure& figure : record::figures()) {
    table.add_row({figure.name, name_of(figure.unit), figure.pointer, figure.doc});
  }
  out << '\n' << table.to_string();
}

}  // namespace

Command add_experiments_command(CLI::App& program) {
  CLI::App* parser = program.add_subcommand(
      "experiments", "List the kinds of experiments, and what their records hold");
  return {parser, [] {
            print_kinds(std::cout);
            for (const config::ExperimentKind& kind : config::experiment_kinds()) {
              print_results(kind, std::cout);
            }
            print_figures(std::cout);
            return ExitCode::kOk;
          }};
}

}  // namespace runahead::apps
