#include "apps/runahead/sweep_output.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iostream>

#include "apps/runahead/sweep_table.h"
#include "core/base/bytes.h"
#include "core/base/duration.h"
#include "core/base/json.h"
#include "core/base/number_text.h"
#include "core/memory/process_probe.h"
#include "core/report/table.h"
#include "core/sweep/summary.h"

namespace runahead::apps {

namespace {

/// Prints one JSON object: `members`, and under `key` a list of `count` elements, one per line.
/// Only one element is in memory at a time. @param element  Returns the element at an index.
void print_with_list(const Json& members, const std::string& key, std::size_t count,
                     const std::function<Json(std::size_t)>& element) {
  std::cout << "{\n";
  for (const auto& [name, value] : members.items()) {
    std::cout << "  " << dump_json(name) << ": " << dump_json(value) << ",\n";
  }
  std::cout << "  " << dump_json(key) << ": [";
  for (std::size_t index = 0; index < count; ++index) {
    std::cout << (index == 0 ? "\n    " : ",\n    ") << dump_json(element(index));
  }
  std::cout << (count == 0 ? "]\n}\n" : "\n  ]\n}\n");
}

Json to_json(const sweep::Estimate& estimate) {
  return {{"runs", estimate.runs},
          {"seconds", or_null(estimate.seconds)},
          {"most_seconds", or_null(estimate.most_seconds)},
          {"most_memory_bytes", or_null(estimate.most_memory_bytes)}};
}

/// Why a cell is skipped; empty if it runs.
std::string reason_of(const sweep::Plan& plan, std::size_t cell) {
  const bool is_skipped = std::ranges::binary_search(plan.skipped, cell);
  return is_skipped ? plan.cells.reason(cell) : "";
}

void print_json(const sweep::Plan& plan, const sweep::Estimate& estimate) {
  const auto cell = [&](std::size_t index) {
    const std::string reason = reason_of(plan, index);
    return Json{{"id", plan.cells.id(index)},
                {"axes", plan.cells.axes(index)},
                {"repeats", plan.repeats},
                {"skipped", reason.empty() ? Json(nullptr) : Json(reason)}};
  };
  print_with_list({{"runs", plan.jobs.size()}, {"estimate", to_json(estimate)}}, "cells",
                  plan.cells.size(), cell);
}

void print_text(const sweep::Plan& plan, const sweep::Estimate& estimate) {
  report::Table table{.headings = {"id", "axes"}, .text_columns = 2};
  for (std::size_t index = 0; index < plan.cells.size(); ++index) {
    std::string text = describe_axes(plan.cells.axes(index));
    if (const std::string reason = reason_of(plan, index); !reason.empty()) {
      text += (text.empty() ? "skipped: " : "  skipped: ") + reason;
    }
    table.add_row({sweep::short_id(plan.cells.id(index)), text});
  }
  std::cout << to_text(table) << counted(plan.cells.size(), "cell") << ", "
            << counted(static_cast<std::uint64_t>(plan.repeats), "repeat") << ": "
            << counted(plan.jobs.size(), "run");
  if (!plan.skipped.empty()) std::cout << "; skipped: " << counted(plan.skipped.size(), "cell");
  std::cout << '\n' << describe(estimate) << '\n';
}

Json cost_json(const sweep::SweepCost& cost) {
  return {{"runs", cost.runs},
          {"wall_seconds", cost.wall_seconds},
          {"cells_wall_seconds", cost.cells_wall_seconds},
          {"rss_peak_bytes", or_null(memory::peak_rss_bytes())}};
}

Json cell_json(const std::string& id, const sweep::CellSummary& cell) {
  Json document = {{"id", id}, {"axes", cell.axes}, {"status", cell.status}};
  for (std::size_t index = 0; index < sweep::sweep_figures().size(); ++index) {
    document[sweep::sweep_figures()[index].name] = runahead::to_json(cell.figures[index]);
  }
  return document;
}

}  // namespace

void print_dry_run(const sweep::Plan& plan, const sweep::Estimate& estimate, bool as_json) {
  if (as_json) {
    print_json(plan, estimate);
  } else {
    print_text(plan, estimate);
  }
}

std::string describe(const sweep::Estimate& estimate) {
  std::string text = counted(estimate.runs, "run") + " left: ";
  if (estimate.runs == 0) return text + "nothing to do";
  text += estimate.seconds ? "about " + format_rough_duration(*estimate.seconds)
                           : "no time estimate until one run has ended";
  text += estimate.most_seconds
              ? "; at most " + format_duration(*estimate.most_seconds) + ", because of the timeout"
              : "; no timeout set";
  if (estimate.most_memory_bytes) {
    text += "; at most " + format_bytes(*estimate.most_memory_bytes) + " of memory at once";
  }
  return text;
}

void print_sweep_json(const std::filesystem::path& folder, const std::filesystem::path& records,
                      const sweep::Plan& plan, const sweep::SweepResult& result) {
  const Json members = {{"folder", folder.string()},
                        {"records", records.string()},
                        {"interrupted", result.interrupted},
                        {"all_ok", result.all_ok()},
                        {"cost", cost_json(result.cost)}};
  print_with_list(members, "cells", plan.cells.size(), [&](std::size_t cell) {
    return cell_json(plan.cells.id(cell), sweep::summarise(plan, result, cell));
  });
}

}  // namespace runahead::apps
