#include "core/report/run_tables.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "core/base/number_text.h"
#include "core/record/figures.h"
#include "core/report/finding.h"
#include "core/report/labels.h"

namespace runahead::report {
namespace {

using record::Figure;
using record::Unit;

constexpr const char* kNameColumn = "run";
constexpr const char* kFolderColumn = "folder";
constexpr const char* kAttribution = "/memory/attribution";
constexpr const char* kBlocking = "/backlog/blocking_operators";

constexpr std::pair<const char*, const char*> kPredicted[] = {
    {"none", "predicted without a wait"}, {"every_batch", "predicted with a wait every batch"}};

std::string spread_text(const Figure& figure, const std::optional<Spread>& spread) {
  if (!spread) return "-";
  const std::string median = record::text_of(figure.unit, spread->median);
  if (spread->count == 0) return median;
  const std::string min = record::text_of(figure.unit, spread->min);
  const std::string max = record::text_of(figure.unit, spread->max);
  std::string rest = min == max ? "" : min + " to " + max;
  if (spread->not_finite > 0) {
    rest += (rest.empty() ? "" : ", ") + std::to_string(spread->not_finite) + " of " +
            std::to_string(spread->count + spread->not_finite) + " not finite";
  }
  return rest.empty() ? median : median + " (" + rest + ")";
}

/// "+2.1 %": the deviation of the prediction from the measurement.
std::string deviation_text(std::optional<double> predicted, std::optional<double> measured) {
  if (!predicted || !measured || *measured == 0.0) return "-";
  return signed_percent(*predicted / *measured - 1.0);
}

Cell cell_of(Unit unit, std::optional<double> value) {
  const bool is_number = value && std::isfinite(*value);
  return {.text = record::text_of(unit, value), .number = is_number ? value : std::nullopt};
}

std::string predicted_text(const Run& run, const std::string& policy) {
  const std::string pointer = "/results/cost_model/predictions/" + policy;
  const auto seconds = run.number(pointer + "/total_seconds");
  const auto bytes = run.number(pointer + "/backlog_bytes");
  if (!seconds && !bytes) return "-";
  return (seconds ? record::text_of(Unit::kSeconds, seconds) : "") +
         (seconds && bytes ? ", " : "") + (bytes ? record::text_of(Unit::kBytes, bytes) : "");
}

std::string bottleneck_of(const Run& run) {
  const std::string side = run.text("/results/cost_model/bottleneck");
  return side == "front_end" ? "front end" : side == "back_end" ? "back end" : "-";
}

std::string fitted_text(const Run& run) {
  const auto fitted = run.number("/results/cost_model/fitted_batches");
  return fitted ? format_count(*fitted) + " batches" : "-";
}

/// A row of the cost model table: its name, and the cell of a run.
struct CostRow {
  std::string name{};
  std::function<Cell(const Run&)> cell_of{};
};

/// The row of the figure with that name in record::figures().
CostRow figure_row(std::string_view name) {
  const std::vector<Figure>& figures = record::figures();
  const Figure& figure = *std::ranges::find(figures, name, &Figure::name);
  return {figure.label,
          [figure](const Run& run) { return cell_of(figure.unit, run.measured(figure.pointer)); }};
}

CostRow deviation_row(const char* predicted, const char* measured) {
  return {"off by", [=](const Run& run) {
            return Cell{.text = deviation_text(run.number(predicted), run.number(measured))};
          }};
}

std::vector<CostRow> cost_rows() {
  std::vector<CostRow> rows{
      figure_row("t1_seconds"),
      figure_row("t2_seconds"),
      figure_row("t3_seconds"),
      {"fitted to", [](const Run& run) { return Cell{.text = fitted_text(run)}; }},
      {"bottleneck", [](const Run& run) { return Cell{.text = bottleneck_of(run)}; }},
      figure_row("predicted_total_seconds"),
      figure_row("total_seconds"),
      deviation_row("/time/predicted_total_seconds", "/time/total_seconds"),
      figure_row("predicted_backlog_bytes_peak"),
      figure_row("backlog_bytes_peak"),
      deviation_row("/backlog/predicted_bytes_peak", "/backlog/bytes_peak")};
  for (const auto& [policy, name] : kPredicted) {
    rows.push_back({name, [policy = policy](const Run& run) {
                      return Cell{.text = predicted_text(run, policy)};
                    }});
  }
  return rows;
}

/// A column, not a row, for each line whose costs were measured: figures outnumber lines.
Table cost_table(const Comparison& comparison) {
  Table table{
      .title = "The cost model: t1 to issue a batch, t2 to execute it, t3 to return its result",
      .headings = {"per batch"}};
  std::vector<const Run*> columns;
  for (const Line& line : comparison.lines) {
    if (!line.main().number("/time/t2_seconds")) continue;
    columns.push_back(&line.main());
    table.headings.push_back(line.main_label());
  }
  if (columns.empty()) return table;
  for (const CostRow& about : cost_rows()) {
    Row& row = table.rows.emplace_back(Row{.cells = {{.text = about.name}}});
    for (const Run* run : columns) row.cells.push_back(about.cell_of(*run));
  }
  return table;
}

/// A table with a column for each line that has an object at `pointer`.
Table column_table(const Comparison& comparison, const char* pointer, const char* title,
                   const char* corner, std::vector<const Run*>& columns) {
  Table table{.title = title, .headings = {corner}};
  for (const Line& line : comparison.lines) {
    if (!line.main().at(pointer).is_object()) continue;
    columns.push_back(&line.main());
    table.headings.push_back(line.main_label());
  }
  return table;
}

/// The values of a key in the objects at `pointer`. @param missing  Used for objects without it.
Row row_of(const std::string& name, const std::vector<const Run*>& columns, const char* pointer,
           const std::string& key, Unit unit, const Json& missing = nullptr) {
  Row row{.cells = {{.text = name}}};
  for (const Run* run : columns) {
    const Json value = run->at(pointer).value(key, missing);
    row.cells.push_back(cell_of(unit, record::number_at(value, "")));
  }
  return row;
}

/// The record's label for a part of RSS, or else its key in words.
std::string part_label(const Run& run, const std::string& key) {
  if (key == "baseline_bytes") return "the process without the parts below";
  if (key == "rss_bytes") return "RSS";
  const Json& described = run.object("/results/sample_columns");
  const Json column = described.value(key, Json());
  const Json& label = value_at(column, "/label");
  const bool is_counted_elsewhere = record::number_at(column, "/rss_sign").value_or(0.0) < 0.0;
  const std::string words = spaced(key.substr(0, key.rfind("_bytes")));
  return (is_counted_elsewhere ? "− " : "") +
         (label.is_string() ? label.get<std::string>() : words);
}

Table attribution_table(const Comparison& comparison) {
  std::vector<const Run*> columns;
  Table table = column_table(comparison, kAttribution, "What RSS was made of at its peak",
                             "at the highest RSS", columns);
  for (const std::string& key : keys_of(columns, kAttribution)) {
    if (record::unit_of_key(key) != Unit::kBytes) continue;
    table.rows.push_back(
        row_of(part_label(*columns.front(), key), columns, kAttribution, key, Unit::kBytes));
  }
  return table;
}

Table blocking_table(const Comparison& comparison) {
  std::vector<const Run*> columns;
  Table table =
      column_table(comparison, kBlocking, "Blocking operators: what made the front end wait",
                   "operator, times it waited", columns);
  std::vector<std::string> operators = keys_of(columns, kBlocking);
  std::ranges::sort(operators);
  for (const std::string& name : operators) {
    table.rows.push_back(row_of(name, columns, kBlocking, name, Unit::kCount, Json(0)));
  }
  if (!columns.empty() && operators.empty()) {
    table.rows.push_back({.cells = std::vector<Cell>(columns.size() + 1, Cell{.text = "-"})});
    table.rows.back().cells.front().text = "no operator made the front end wait";
  }
  return table;
}

/// Whether any row has the figure.
bool is_measured(const RepeatsTable& repeats, std::size_t figure) {
  return std::ranges::any_of(
      repeats.rows, [figure](const Repeats& row) { return row.figures[figure].has_value(); });
}

}  // namespace

std::string signed_percent(double share) {
  const double percent = share * 100.0;
  if (std::abs(percent) < 0.05) return "0.0 %";
  return formatted(std::abs(percent) < 9.95 ? "%+.1f %%" : "%+.0f %%", percent);
}

std::vector<double> ok_values(const std::vector<const Run*>& runs, const std::string& pointer) {
  std::vector<double> values;
  for (const Run* run : runs) {
    if (const auto value = run->measured(pointer); value && run->is_ok()) values.push_back(*value);
  }
  return values;
}

std::vector<std::string> axis_pointers(const std::vector<const Run*>& runs) {
  std::vector<std::string> pointers = keys_of(runs, "/axes");
  return pointers.empty() ? std::vector<std::string>{kNameColumn} : pointers;
}

std::vector<std::string> axis_fields(const Run& run, const std::vector<std::string>& pointers) {
  std::vector<std::string> fields;
  for (const std::string& pointer : pointers) {
    const auto value = run.axes().find(pointer);
    fields.push_back(value != run.axes().end() ? compact(*value)
                     : pointer == kNameColumn  ? run_name(run)
                                               : "");
  }
  return fields;
}

Table table_of_runs(const std::vector<Run>& runs,
                    const std::function<std::string(const Run&)>& slug_of) {
  const std::vector<Figure> figures = record::figures_in(record::kPage);
  Table table{.headings = {"run", "repeat", "status", "error"}, .text_columns = 4};
  for (const Figure& figure : figures) table.headings.emplace_back(figure.label);
  for (const Run& run : runs) {
    const Json& error = run.at("/error");
    const auto repeat = run.number("/repeat");
    Row row{.cells = {{.text = run_name(run), .link = slug_of(run)},
                      {.text = format_count(repeat.value_or(0.0)), .number = repeat.value_or(0.0)},
                      {.text = run.status()},
                      {.text = error.is_null() ? "" : compact(error), .kind = "error"}},
            .kind = run.is_ok() ? "" : "not-ok"};
    for (const Figure& figure : figures) {
      row.cells.push_back(cell_of(figure.unit, run.measured(figure.pointer)));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

RepeatsTable repeats_table(const std::vector<Run>& runs) {
  const std::vector<std::string> pointers = axis_pointers(pointers_to(runs));
  // The name of a run has its folder.
  const bool has_folders =
      pointers.front() != kNameColumn &&
      std::ranges::any_of(runs, [](const Run& run) { return run.source != ""; });
  RepeatsTable repeats{.headings = pointers};
  if (has_folders) repeats.headings.insert(repeats.headings.begin(), kFolderColumn);
  for (const auto& alike : repeats_of(runs)) {
    Repeats row{.fields = axis_fields(*alike.front(), pointers), .states = states(alike)};
    if (has_folders) row.fields.insert(row.fields.begin(), alike.front()->source);
    for (const Figure& figure : record::figures_in(record::kSweep)) {
      row.figures.push_back(spread_of(ok_values(alike, figure.pointer)));
    }
    repeats.rows.push_back(std::move(row));
  }
  return repeats;
}

Table to_table(const RepeatsTable& repeats) {
  const std::vector<Figure> figures = record::figures_in(record::kSweep);
  std::vector<std::size_t> measured;
  for (std::size_t index = 0; index < figures.size(); ++index) {
    if (is_measured(repeats, index)) measured.push_back(index);
  }
  Table table{.headings = repeats.headings, .text_columns = repeats.headings.size() + 1};
  table.headings.emplace_back("states");
  for (const std::size_t index : measured) table.headings.emplace_back(figures[index].label);
  for (const Repeats& row : repeats.rows) {
    std::vector<std::string> texts = row.fields;
    texts.push_back(row.states);
    for (const std::size_t index : measured) {
      texts.push_back(spread_text(figures[index], row.figures[index]));
    }
    table.add_row(std::move(texts));
    table.rows.back().cells[row.fields.size()].kind = kind_of_states(row.states);
  }
  return table;
}

std::string to_csv(const RepeatsTable& repeats) {
  std::vector<std::string> header = repeats.headings;
  header.emplace_back("states");
  for (const Figure& figure : record::figures_in(record::kSweep)) {
    for (const char* part : {"_median", "_min", "_max"})
      header.push_back(figure.name + std::string(part));
  }
  std::string text = csv_line(header);
  for (const Repeats& row : repeats.rows) {
    std::vector<std::string> fields = row.fields;
    fields.push_back(row.states);
    for (const std::optional<Spread>& spread : row.figures) {
      for (const auto part : {&Spread::median, &Spread::min, &Spread::max}) {
        fields.push_back(spread ? csv_number((*spread).*part) : "");
      }
    }
    text += csv_line(fields);
  }
  return text;
}

std::vector<Table> tables_of(const Comparison& comparison) {
  return {attribution_table(comparison), cost_table(comparison), blocking_table(comparison)};
}

}  // namespace runahead::report
