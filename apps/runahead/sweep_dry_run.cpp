#include "apps/runahead/sweep_dry_run.h"

#include <algorithm>
#include <iostream>

#include "apps/runahead/sweep_json.h"
#include "apps/runahead/sweep_table.h"
#include "core/base/bytes.h"
#include "core/base/duration.h"
#include "core/base/number_text.h"
#include "core/report/table.h"

namespace runahead::apps {

namespace {

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
  print_with_list(std::cout, {{"runs", plan.jobs.size()}, {"estimate", to_json(estimate)}}, "cells",
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

}  // namespace runahead::apps
