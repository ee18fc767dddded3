#include "core/record/cell_progress.h"

#include <chrono>
#include <exception>
#include <system_error>
#include <utility>

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/json.h"
#include "core/base/periodic.h"

namespace runahead::record {
namespace {

constexpr JsonBounds kBounds{.bytes = 4096, .depth = 2};

constexpr std::pair<const char*, std::optional<std::uint64_t> CellProgress::*> kCounts[] = {
    {"batches", &CellProgress::batches},
    {"batches_issued", &CellProgress::batches_issued},
    {"batches_finished", &CellProgress::batches_finished},
    {"operations_in_flight", &CellProgress::operations_in_flight},
    {"rss_bytes", &CellProgress::rss_bytes},
    {"live_bytes", &CellProgress::live_bytes}};

}  // namespace

void write_cell_progress(const std::filesystem::path& path, const CellProgress& progress) {
  Json document = {{"seconds", progress.seconds}};
  for (const auto& [name, count] : kCounts) document[name] = or_null(progress.*count);
  replace_file(path, dump_json(document) + "\n");
}

std::optional<CellProgress> read_cell_progress(const std::filesystem::path& path) {
  try {
    const Json document = read_json_file(path, kBounds);
    const auto seconds = document.find("seconds");
    if (seconds == document.end() || !seconds->is_number()) return std::nullopt;
    CellProgress progress{.seconds = seconds->get<double>()};
    for (const auto& [name, count] : kCounts) {
      const auto value = document.find(name);
      if (value == document.end() || !value->is_number_unsigned()) continue;
      progress.*count = value->get<std::uint64_t>();
    }
    return progress;
  } catch (const Error&) {
    return std::nullopt;
  }
}

void remove_cell_progress(const std::filesystem::path& path) noexcept {
  std::error_code ignored;
  std::filesystem::remove(path, ignored);
  std::filesystem::remove(replacement_of(path), ignored);
}

std::jthread start_progress_writer(std::filesystem::path path, double period_seconds,
                                   std::function<CellProgress()> progress) {
  const auto write = [path = std::move(path), progress = std::move(progress),
                      start = Clock::now()] {
    try {
      CellProgress now = progress();
      now.seconds = seconds_between(start, Clock::now());
      write_cell_progress(path, now);
    } catch (const std::exception&) {
      return;  // For example, no memory or a full disk: the run itself should report that.
    }
  };
  return every(std::chrono::duration<double>(period_seconds), write);
}

}  // namespace runahead::record
