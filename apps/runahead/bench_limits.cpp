#include "apps/runahead/benchmarks.h"

#include <array>
#include <optional>
#include <vector>

#include "apps/runahead/bench_figures.h"
#include "core/base/error.h"
#include "core/base/log.h"
#include "core/base/statistics.h"
#include "core/sweep/single_run.h"

namespace runahead::apps {

namespace {

constexpr const char* kThroughput = "examples_per_second";
constexpr const char* kGrowth = "growth_bytes";
constexpr const char* kPeak = "peak_bytes";

constexpr std::array kPolicies{"none", "every_batch", "window2", "budget", "adaptive", "full_wait"};
constexpr std::size_t kNone = 0;
constexpr std::size_t kEveryBatch = 1;
constexpr std::size_t kFullWait = 5;
constexpr std::size_t kFastSourcePolicies = kFullWait;  ///< The policies before `full_wait`.

constexpr std::int64_t kBatches = 30;
constexpr std::int64_t kSlowSourceBatches = 12;

/// The ratio of a figure between a policy and a base policy.
struct Ratio {
  const char* key;
  const char* figure;
  std::size_t base;
};

constexpr std::array<Ratio, 5> kRatios{{{"throughput_over_none", kThroughput, kNone},
                                        {"throughput_over_every_batch", kThroughput, kEveryBatch},
                                        {"throughput_over_full_wait", kThroughput, kFullWait},
                                        {"growth_over_every_batch", kGrowth, kEveryBatch},
                                        {"peak_over_every_batch", kPeak, kEveryBatch}}};

/// One cell of the grid.
struct Setting {
  std::string made{};
  int workers = 1;
  std::string allocation{};

  [[nodiscard]] std::string name() const {
    return made + "/" + std::to_string(workers) + "/" + allocation;
  }

  /// The config without a sync policy.
  [[nodiscard]] Json config() const {
    return {{"experiment", "train"},
            {"device", "acpu"},
            {"batches", kBatches},
            {"warmup_batches", 2},
            {"model", {{"layers", {2048, 512, 1}}}},
            {"data", {{"features", 512}, {"batch_size", 1024}, {"made", made}}},
            {"acpu", {{"workers", workers}, {"allocation", allocation}, {"limit", "off"}}},
            {"threads", {{"intra_op", 1}}},
            {"monitor", {{"rate_hz", 1000}}}};
  }

  [[nodiscard]] double budget_over_live_peak() const { return workers == 1 ? 1.1 : 1.6; }
};

std::vector<Setting> settings_named(const std::string& part) {
  std::vector<Setting> settings;
  for (const char* made : {"on_host", "on_device"}) {
    for (const int workers : {1, 2}) {
      for (const char* allocation : {"at_issue", "in_stream_order", "at_execution"}) {
        Setting setting{.made = made, .workers = workers, .allocation = allocation};
        if (setting.name().find(part) != std::string::npos) settings.push_back(setting);
      }
    }
  }
  if (settings.empty()) {
    throw ConfigError("--only: no cell has '" + part + "' in its name; a name is DATA/WORKERS/" +
                      "ALLOCATION: \"on_host/1/at_issue\", \"on_device/2/at_execution\"");
  }
  return settings;
}

Json sync_of(const std::string& policy, std::uint64_t budget_bytes) {
  if (policy == "window2") return {{"policy", "window"}, {"batches", 2}};
  if (policy == "budget") return {{"policy", "budget"}, {"bytes", budget_bytes}};
  if (policy == "adaptive") return {{"policy", "adaptive"}, {"ceiling", "1GiB"}};
  if (policy == "full_wait") return {{"policy", "every_batch"}, {"wait", "all"}};
  return {{"policy", policy}};
}

sweep::Cell cell_of(const Json& config, const std::string& policy, std::uint64_t budget_bytes) {
  Json document = config;
  document["sync"] = sync_of(policy, budget_bytes);
  return sweep::cell_of(config::read_experiment(document, "bench limits"));
}

/// Runs cells for their records, and reports a run that failed.
class Cells {
 public:
  explicit Cells(sweep::CellRunner& runner) : runner_(runner) {}

  std::optional<record::Record> run(const std::string& name, const sweep::Cell& cell) {
    record::Record record = sweep::run_cell(runner_, cell, next_run_++);
    if (record.status == record::Status::kOk) return record;
    log_warning("bench limits: " + name + " " + std::string(name_of(record.status)) + ": " +
                record.error.value_or("no figures"));
    return std::nullopt;
  }

 private:
  sweep::CellRunner& runner_;
  std::int64_t next_run_ = 0;
};

Measurement measurement_of(const record::Record& record, const config::ExperimentConfig& config) {
  Measurement measurement{.had_the_cpu = sweep::had_the_cpu(record, config)};
  const auto add = [&](const char* key, const std::optional<double>& value) {
    if (value) measurement.figures[key] = *value;
  };
  add(kThroughput, record.time.examples_per_second);
  add(kPeak, sweep::occupied_peak_bytes(record));
  if (const auto& growth = record.memory.rss_growth_bytes) {
    add(kGrowth, static_cast<double>(*growth));
  }
  return measurement;
}

/// The policies side by side on one config.
class PolicyRounds {
 public:
  /// Copies everything but `options`. @param policies  The number of kPolicies, from the first on.
  PolicyRounds(Cells& cells, const BenchOptions& options, const std::string& name,
               const Json& config, std::uint64_t budget_bytes, std::size_t policies)
      : policies_(policies),
        rounds_("limits, " + name, cases_of(cells, name, config, budget_bytes, policies), options) {
  }

  void run() { rounds_.run(); }

  [[nodiscard]] std::optional<double> every_batch_examples_per_second() const {
    const auto spread = rounds_.figure(kEveryBatch, kThroughput);
    return spread ? std::optional(spread->median) : std::nullopt;
  }

  void add_to(Json& cell) const {
    for (std::size_t index = 0; index < policies_; ++index) {
      Json& entry = cell[kPolicies[index]];
      entry = nullptr;
      if (!rounds_.figure(index, kThroughput)) continue;
      for (const char* key : {kThroughput, kGrowth, kPeak}) {
        add_spread(entry, key, rounds_.figure(index, key));
      }
      for (const Ratio& ratio : kRatios) {
        if (ratio.base >= policies_) continue;
        add_spread(entry, ratio.key, rounds_.ratio(index, ratio.figure, ratio.base, ratio.figure));
      }
    }
  }

 private:
  static std::vector<BenchCase> cases_of(Cells& cells, const std::string& name, const Json& config,
                                         std::uint64_t budget_bytes, std::size_t policies) {
    std::vector<BenchCase> cases;
    for (std::size_t index = 0; index < policies; ++index) {
      const std::string policy = kPolicies[index];
      const sweep::Cell cell = cell_of(config, policy, budget_bytes);
      cases.push_back([&cells, cell, label = name + ", " + policy]() -> std::optional<Measurement> {
        const auto record = cells.run(label, cell);
        if (!record) return std::nullopt;
        return measurement_of(*record, cell.config);
      });
    }
    return cases;
  }

  std::size_t policies_;
  BenchRounds rounds_;
};

/// One cell, with a fast source and, if it has one worker, also with a slow one.
class GridCell {
 public:
  GridCell(Cells& cells, const BenchOptions& options, const Setting& setting)
      : cells_(cells), options_(options), setting_(setting) {}

  /// Appends its measurements to both lists, or nothing if the live bytes are unknown.
  void run(Json& fast, Json& slow) {
    Json config = setting_.config();
    const auto budget_bytes = learn_budget(config);
    if (!budget_bytes) return;
    PolicyRounds rounds(cells_, options_, setting_.name(), config, *budget_bytes,
                        kFastSourcePolicies);
    rounds.run();
    fast.push_back(entry(rounds, *budget_bytes, 0.0));

    const auto examples_per_second = rounds.every_batch_examples_per_second();
    if (setting_.workers != 1 || !examples_per_second) return;
    const double seconds_per_batch =
        config["data"]["batch_size"].get<double>() / *examples_per_second;
    config["batches"] = kSlowSourceBatches;
    config["data"]["seconds_per_batch"] = seconds_per_batch;
    PolicyRounds slow_rounds(cells_, options_, setting_.name() + ", slow source", config,
                             *budget_bytes, kPolicies.size());
    slow_rounds.run();
    slow.push_back(entry(slow_rounds, *budget_bytes, seconds_per_batch));
  }

 private:
  std::optional<std::uint64_t> learn_budget(const Json& config) {
    const std::string policy = kPolicies[kEveryBatch];
    const auto record =
        cells_.run(setting_.name() + ", " + policy + " for its peak", cell_of(config, policy, 0));
    if (!record || !record->memory.live_peak_bytes) return std::nullopt;
    return static_cast<std::uint64_t>(setting_.budget_over_live_peak() *
                                      static_cast<double>(*record->memory.live_peak_bytes));
  }

  [[nodiscard]] Json entry(const PolicyRounds& rounds, std::uint64_t budget_bytes,
                           double seconds_per_batch) const {
    Json entry = {{"data", setting_.made},
                  {"workers", setting_.workers},
                  {"allocation", setting_.allocation},
                  {"budget_bytes", budget_bytes},
                  {"seconds_per_batch", seconds_per_batch}};
    rounds.add_to(entry);
    return entry;
  }

  Cells& cells_;
  const BenchOptions& options_;
  Setting setting_;
};

/// The medians of a figure over all cells that have it.
std::vector<double> medians_of(const Json& cells, const std::string& policy,
                               const std::string& key) {
  std::vector<double> medians;
  for (const Json& cell : cells) {
    const Json& figures = cell.at(policy);
    if (!figures.contains(key) || figures[key].is_null()) continue;
    medians.push_back(figures[key].get<double>());
  }
  return medians;
}

/// nullopt if there are no ratios, or if one is 0, so that they have no geometric mean.
std::optional<Spread> spread_of_ratios(const std::vector<double>& ratios) {
  auto spread = spread_of(ratios);
  if (!spread || spread->min <= 0.0) return std::nullopt;
  spread->median = geometric_mean(ratios);
  return spread;
}

Json summary_of(const Json& cells, const std::string& policy, std::size_t policies) {
  Json summary = Json::object();
  for (const char* key : {kGrowth, kPeak}) {
    add_spread(summary, key, spread_of(medians_of(cells, policy, key)));
  }
  for (const Ratio& ratio : kRatios) {
    if (ratio.base >= policies) continue;
    add_spread(summary, ratio.key, spread_of_ratios(medians_of(cells, policy, ratio.key)));
  }
  return summary;
}

Json with_summaries(const Json& cells, std::size_t policies) {
  Json figures = Json::object();
  for (std::size_t index = 0; index < policies; ++index) {
    figures[kPolicies[index]] = summary_of(cells, kPolicies[index], policies);
  }
  figures["cells"] = cells;
  return figures;
}

}  // namespace

Json bench_limits(sweep::CellRunner& runner, const BenchOptions& options) {
  Cells cells(runner);
  Json fast = Json::array();
  Json slow = Json::array();
  for (const Setting& setting : settings_named(options.only)) {
    GridCell(cells, options, setting).run(fast, slow);
  }
  if (fast.empty()) throw Error("bench limits: no cell could be measured");
  Json figures = with_summaries(fast, kFastSourcePolicies);
  figures["slow_source"] = with_summaries(slow, kPolicies.size());
  return figures;
}

}  // namespace runahead::apps
