#include "apps/runahead/bench_figures.h"
#include "apps/runahead/benchmarks.h"
#include "core/base/number_text.h"
#include "core/record/figures.h"
#include "core/report/table.h"

namespace runahead::apps {

namespace {

std::string number_text(const Json& policy, const std::string& key) {
  const auto value = record::number_at(policy, "/" + key);
  const bool is_ratio = value && !key.ends_with("_bytes");
  return is_ratio ? formatted("%.2f", *value) : record::text_of(record::Unit::kBytes, value);
}

std::string name_of_cell(const Json& cell) {
  return cell["data"].get<std::string>() + "/" + cell["workers"].dump() + "/" +
         cell["allocation"].get<std::string>();
}

constexpr const char* kLegend =
    R"(Each cell trains an MLP on acpu. Its name says where batches are made, on the host or on the device,
the number of workers, and when memory is allocated. Policies:
  none         never waits
  every_batch  waits for the loss of every batch
  window2      keeps at most 2 batches in flight
  budget       bounds what memory will reach once everything issued has run, to 1.1 times the most
               live bytes of every_batch, 1.6 times with 2 workers
  adaptive     chooses its window as it runs
  full_wait    waits for everything after every batch
The column "peak" counts live bytes and queued inputs. A cell's rows are medians of its repeats, with
minimum and maximum in brackets. "all cells" has geometric means of the cells' ratios and medians of
their bytes, with the lowest and the highest cell in brackets.

)";

/// Adds a row for each policy of a cell, or of all cells.
void add_rows(report::Table& table, const std::string& name, const Json& policies,
              const std::string& base) {
  for (const auto& [policy, figures] : policies.items()) {
    if (!figures.is_object() || !figures.contains("throughput_over_none")) continue;
    table.add_row(
        {name, policy, spread_text(figures, "throughput_over_none", "%.3f"),
         spread_text(figures, "throughput_over_" + base, "%.3f"),
         number_text(figures, "growth_bytes"), number_text(figures, "growth_over_every_batch"),
         number_text(figures, "peak_bytes"), number_text(figures, "peak_over_every_batch")});
  }
}

/// @param base  The policy that throughput is compared with, in addition to `none`.
std::string table_of(const Json& figures, const std::string& base) {
  report::Table table{
      .headings = {"data/workers/allocation", "policy", "throughput / none", "throughput / " + base,
                   "RSS growth", "growth / every_batch", "peak", "peak / every_batch"},
      .text_columns = 2};
  for (const Json& cell : figures["cells"]) add_rows(table, name_of_cell(cell), cell, base);
  add_rows(table, "all cells", figures, base);
  return to_text(table);
}

}  // namespace

std::string limits_bench_table(const Json& figures) {
  std::string text = kLegend + table_of(figures, "every_batch");
  const Json& slow_source = figures["slow_source"];
  if (slow_source["cells"].empty()) return text;
  return text + "\nWith a source as slow as a training step:\n\n" +
         table_of(slow_source, "full_wait");
}

}  // namespace runahead::apps
