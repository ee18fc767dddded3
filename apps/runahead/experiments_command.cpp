#include <iostream>

#include "apps/runahead/command.h"
#include "core/config/experiment_kinds.h"
#include "core/record/figures.h"
#include "core/report/table.h"

namespace runahead::apps {
namespace {

void print_kinds(std::ostream& out) {
  report::Table table{.headings = {"experiment", "what it measures"}, .text_columns = 2};
  for (const config::ExperimentKind& kind : config::experiment_kinds()) {
    table.add_row({kind.name, kind.doc});
  }
  out << to_text(table)
      << "\nOf n operations: t1 is the time to issue one, t2 to execute it, t3 to return the "
         "result.\n";
}

void print_results(const config::ExperimentKind& kind, std::ostream& out) {
  if (kind.results.empty()) return;
  report::Table table{.headings = {"results." + kind.name, "meaning"}, .text_columns = 2};
  for (const config::ResultKey& key : kind.results) table.add_row({key.name, key.doc});
  out << '\n' << to_text(table);
}

/// Prints the figures that every record can hold.
void print_figures(std::ostream& out) {
  report::Table table{.headings = {"figure", "unit", "in a record", "meaning"}, .text_columns = 4};
  for (const record::Figure& figure : record::figures()) {
    table.add_row({figure.name, name_of(figure.unit), figure.pointer, figure.doc});
  }
  out << "\nA figure is a measured number that --fail-if, tables and charts can use:\n\n"
      << to_text(table);
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
