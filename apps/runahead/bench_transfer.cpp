#include "apps/runahead/benchmarks.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "apps/runahead/bench_figures.h"
#include "core/base/error.h"
#include "core/report/table.h"

namespace runahead::apps {

namespace {

constexpr const char* kBandwidth = "gb_per_second";
constexpr const char* kIssue = "issue_us";

constexpr const char* kPageableNonBlocking = "pageable_non_blocking";
constexpr const char* kPinnedBlocking = "pinned_blocking";
constexpr const char* kPinnedNonBlocking = "pinned_non_blocking";
constexpr std::array<const char*, 4> kWays{"pageable_blocking", kPageableNonBlocking,
                                           kPinnedBlocking, kPinnedNonBlocking};

/// The key of a figure of a size and a way in BenchRounds.
std::string path_of(const Json& size, const std::string& way, const std::string& figure) {
  return size.at("bytes").dump() + "." + way + "." + figure;
}

Measurement to_measurement(const Json& process) {
  Measurement measurement;
  measurement.had_the_cpu = process.at("cpu_share").get<double>() >= sweep::kLeastCpuShare;
  for (const Json& size : process.at("sizes")) {
    for (const std::string way : kWays) {
      for (const std::string figure : {kBandwidth, kIssue}) {
        measurement.figures[path_of(size, way, figure)] = size.at(way).at(figure).get<double>();
      }
    }
  }
  return measurement;
}

Json size_figures(const BenchRounds& rounds, const Json& size) {
  Json object = {{"bytes", size.at("bytes")}, {"copies", size.at("copies")}};
  for (const std::string way : kWays) {
    for (const std::string figure : {kBandwidth, kIssue}) {
      add_spread(object[way], figure, rounds.figure(0, path_of(size, way, figure)));
    }
  }
  add_spread(object, "pinned_over_pageable",
             rounds.ratio(0, path_of(size, kPinnedNonBlocking, kBandwidth), 0,
                          path_of(size, kPageableNonBlocking, kBandwidth)));
  add_spread(object, "issue_over_blocking",
             rounds.ratio(0, path_of(size, kPinnedNonBlocking, kIssue), 0,
                          path_of(size, kPinnedBlocking, kIssue)));
  return object;
}

std::string size_text(const Json& bytes) {
  constexpr std::uint64_t kKibibyte = 1024;
  const std::uint64_t kibibytes = bytes.get<std::uint64_t>() / kKibibyte;
  if (kibibytes < kKibibyte) return std::to_string(kibibytes) + " KiB";
  return std::to_string(kibibytes / kKibibyte) + " MiB";
}

/// A row for each size: a figure of each way, and a ratio of two of them.
std::string table_of(const Json& figures, const std::string& title, const std::string& figure,
                     const std::string& ratio, const std::string& heading) {
  report::Table table{.headings = {title, "pageable, blocking", "pageable, non_blocking",
                                   "pinned, blocking", "pinned, non_blocking", heading}};
  for (const Json& size : figures.at("sizes")) {
    std::vector<std::string> row{size_text(size.at("bytes"))};
    for (const std::string way : kWays) row.push_back(three_digit_spread(size.at(way), figure));
    row.push_back(spread_text(size, ratio, "%.2f"));
    table.add_row(row);
  }
  return to_text(table);
}

}  // namespace

Json find_transfer_device(const Json& devices) {
  std::string why = "`devices` says nothing of cuda";
  for (const Json& device : devices) {
    if (!device.at("device").get<std::string>().starts_with("cuda")) continue;
    if (device.value("available", false)) return device;
    why = device.value("what", why);
  }
  throw UnavailableError("bench transfer: needs a CUDA device, and there is none: " + why +
                         "; run it on a machine with a GPU");
}

Json bench_transfer(const TransferProcess& measure, const BenchOptions& options) {
  Json sizes;
  const BenchCase one_process = [&measure, &sizes] {
    const Json process = measure();
    sizes = process.at("sizes");
    return to_measurement(process);
  };
  BenchRounds rounds("transfer", {one_process}, options);
  rounds.run();

  Json figures = {{"sizes", Json::array()}};
  for (const Json& size : sizes) figures["sizes"].push_back(size_figures(rounds, size));
  return figures;
}

std::string transfer_bench_table(const Json& figures) {
  return "Copies from host memory to the GPU. Medians, with minimum and maximum in brackets.\n\n" +
         table_of(figures, "GB/s", kBandwidth, "pinned_over_pageable",
                  "non_blocking: pinned / pageable") +
         '\n' +
         table_of(figures, "µs per call", kIssue, "issue_over_blocking",
                  "pinned: non_blocking / blocking");
}

}  // namespace runahead::apps
