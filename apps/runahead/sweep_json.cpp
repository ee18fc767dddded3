#include "apps/runahead/sweep_json.h"

#include <iostream>

#include "core/memory/process_probe.h"
#include "core/sweep/summary.h"

namespace runahead::apps {
namespace {

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

void print_sweep_json(const std::filesystem::path& folder, const sweep::Plan& plan,
                      const sweep::SweepResult& result) {
  const Json members = {{"folder", folder.string()},
                        {"records", (folder / "records.jsonl").string()},
                        {"interrupted", result.interrupted},
                        {"all_ok", result.all_ok()},
                        {"cost", cost_json(result.cost)}};
  print_with_list(std::cout, members, "cells", plan.cells.size(), [&](std::size_t cell) {
    return cell_json(plan.cells.id(cell), sweep::summarise(plan, result, cell));
  });
}

void print_with_list(std::ostream& out, const Json& members, const std::string& key,
                     std::size_t count, const std::function<Json(std::size_t)>& element) {
  out << "{\n";
  for (const auto& [name, value] : members.items()) {
    out << "  " << dump_json(name) << ": " << dump_json(value) << ",\n";
  }
  out << "  " << dump_json(key) << ": [";
  for (std::size_t index = 0; index < count; ++index) {
    out << (index == 0 ? "\n    " : ",\n    ") << dump_json(element(index));
  }
  out << (count == 0 ? "]\n}\n" : "\n  ]\n}\n");
}

}  // namespace runahead::apps
