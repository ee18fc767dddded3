#include "apps/runahead/bench_train.h"

#include <array>
#include <cstdio>
#include <optional>
#include <set>
#include <vector>

#include "apps/runahead/text_table.h"
#include "core/base/error.h"
#include "core/base/log.h"
#include "core/sweep/summary.h"

namespace runahead::apps {

namespace {

constexpr double kLeastCpuShare = 0.9;

/// One line of the table: a device and a policy, by its key in the result.
struct Case {
  const char* device;
  const char* policy;
  const char* settings;  ///< JSON: what it adds to the size's config.
};

constexpr std::array<Case, 4> kCases{{
    {"cpu", "every_batch", R"({"device": "cpu", "sync": {"policy": "every_batch"}})"},
    {"acpu", "every_batch", R"({"device": "acpu", "sync": {"policy": "every_batch"}})"},
    {"acpu", "window2", R"({"device": "acpu", "sync": {"policy": "window", "batches": 2}})"},
    {"acpu", "none", R"({"device": "acpu", "sync": {"policy": "none"}})"},
}};
constexpr std::size_t kCpu = 0;

/// A size of the problem; enough batches that a run lasts seconds.
struct Size {
  const char* name;
  const char* config;
};

constexpr std::array<Size, 2> kSizes{{
    {"mlp", R"({"experiment": "train", "batches": 30, "warmup_batches": 2,
                "model": {"layers": [2048, 512, 1]},
                "data": {"features": 512, "batch_size": 1024},
                "monitor": {"rate_hz": 0}})"},
    {"small", R"({"experiment": "train", "batches": 12000, "warmup_batches": 200,
                  "model": {"layers": [64, 1]},
                  "data": {"features": 64, "batch_size": 64},
                  "monitor": {"rate_hz": 0}})"},
}};

/// examples per second of each case in one round; nullopt: the case fails.
using Round = std::array<std::optional<double>, kCases.size()>;

/// The cases of one size, run side by side.
class Group {
 public:
  Group(sweep::CellRunner& runner, const TrainBenchOptions& options, std::string name,
        const Json& config)
      : runner_(runner), options_(options), name_(std::move(name)) {
    for (const Case& one : kCases) {
      Json document = config;
      document.merge_patch(Json::parse(one.settings));
      sweep::Cell cell;
      cell.config = config::read_experiment(document, "bench train");
      cell.id = config::config_id(cell.config);
      cells_.push_back(std::move(cell));
    }
  }

  void run() {
    std::int64_t extra_rounds_left = options_.repeats;
    while (rounds_.size() < static_cast<std::size_t>(options_.repeats)) {
      bool all_had_the_cpu = true;
      const Round round = run_round(all_had_the_cpu);
      if (!all_had_the_cpu && extra_rounds_left-- > 0) {
        tell("round repeated: something else had the CPU");
        continue;
      }
      rounds_.push_back(round);
      tell("round " + std::to_string(rounds_.size()) + " of " + std::to_string(options_.repeats));
    }
  }

  [[nodiscard]] double cpu_examples_per_second() const {
    const auto spread = throughput(kCpu);
    if (!spread) throw Error("bench train: the cpu device could not be measured");
    return spread->median;
  }

  [[nodiscard]] Json to_json() const {
    Json group = Json::object();
    for (std::size_t index = 0; index < kCases.size(); ++index) {
      Json entry = nullptr;
      if (const auto spread = throughput(index)) {
        entry = Json::object();
        add_spread(entry, "examples_per_second", *spread);
      }
      if (index == kCpu) {
        group["cpu"] = entry;
      } else {
        group["acpu"][kCases[index].policy] = entry;
        add_ratio(group["acpu"], index);
      }
    }
    return group;
  }

 private:
  Round run_round(bool& all_had_the_cpu) {
    Round round{};
    for (std::size_t index = 0; index < kCases.size(); ++index) {
      if (failed_.contains(index)) continue;
      if (runner_.interrupted()) throw InterruptedError("interrupted");
      runner_.start(cells_[index], {index, next_run_++});
      const record::Record record = runner_.wait_any().record;
      if (record.status == record::Status::kInterrupted) throw InterruptedError("interrupted");
      round[index] = record.time.examples_per_second;
      if (record.status != record::Status::kOk || !round[index]) {
        log_warning(name_ + ", " + kCases[index].device + " " + kCases[index].policy + " " +
                    std::string(name_of(record.status)) + ": " +
                    record.error.value_or("no figures"));
        round[index].reset();
        failed_.insert(index);
        continue;
      }
      all_had_the_cpu = all_had_the_cpu && had_the_cpu(record, cells_[index].config);
    }
    return round;
  }

  /// Whether the CPU was busy, or the source asleep, nearly all the time.
  static bool had_the_cpu(const record::Record& record, const config::ExperimentConfig& config) {
    if (!record.time.cpu_seconds || !record.time.total_seconds) return true;
    const double asleep_seconds =
        static_cast<double>(config.batches) * config.data.seconds_per_batch;
    return *record.time.cpu_seconds + asleep_seconds >= kLeastCpuShare * *record.time.total_seconds;
  }

  [[nodiscard]] std::optional<sweep::Spread> throughput(std::size_t index) const {
    std::vector<double> values;
    for (const Round& round : rounds_) {
      if (round[index]) values.push_back(*round[index]);
    }
    return sweep::spread_of(std::move(values));
  }

  void add_ratio(Json& object, std::size_t index) const {
    std::vector<double> ratios;
    for (const Round& round : rounds_) {
      if (round[index] && round[kCpu]) ratios.push_back(*round[index] / *round[kCpu]);
    }
    const std::string key = std::string(kCases[index].policy) + "_over_cpu";
    if (const auto spread = sweep::spread_of(std::move(ratios))) {
      add_spread(object, key, *spread);
    } else {
      object[key] = nullptr;
    }
  }

  static void add_spread(Json& object, const std::string& key, const sweep::Spread& spread) {
    object[key] = spread.median;
    object[key + "_min"] = spread.min;
    object[key + "_max"] = spread.max;
  }

  void tell(const std::string& text) const {
    if (options_.tell) options_.tell(name_ + ": " + text);
  }

  sweep::CellRunner& runner_;
  const TrainBenchOptions& options_;
  std::string name_;
  std::vector<sweep::Cell> cells_{};
  std::vector<Round> rounds_{};
  std::set<std::size_t> failed_{};
  std::int64_t next_run_ = 0;
};

std::string format(const char* pattern, double value) {
  char text[64];
  std::snprintf(text, sizeof text, pattern, value);
  return text;
}

std::string spread_text(const Json& object, const std::string& key, const char* pattern) {
  if (!object.is_object() || !object.contains(key) || object[key].is_null()) return "-";
  return format(pattern, object[key].get<double>()) + " (" +
         format(pattern, object[key + "_min"].get<double>()) + " to " +
         format(pattern, object[key + "_max"].get<double>()) + ")";
}

void add_rows(TextTable& table, const std::string& name, const Json& group) {
  table.add_row({name, "cpu", spread_text(group["cpu"], "examples_per_second", "%.0f"), ""});
  for (std::size_t index = kCpu + 1; index < kCases.size(); ++index) {
    const std::string policy = kCases[index].policy;
    table.add_row({name, "acpu " + policy,
                   spread_text(group["acpu"][policy], "examples_per_second", "%.0f"),
                   spread_text(group["acpu"], policy + "_over_cpu", "%.3f")});
  }
}

}  // namespace

Json bench_train(sweep::CellRunner& runner, const TrainBenchOptions& options) {
  Json figures = {{"mlp", nullptr}, {"small", nullptr}, {"slow_source", Json::object()}};
  for (const Size& size : kSizes) {
    Json config = Json::parse(size.config);
    Group group(runner, options, size.name, config);
    group.run();
    figures[size.name] = group.to_json();

    const double seconds_per_batch =
        config["data"]["batch_size"].get<double>() / group.cpu_examples_per_second();
    config["data"]["seconds_per_batch"] = seconds_per_batch;
    Group slow(runner, options, std::string(size.name) + ", slow source", config);
    slow.run();
    figures["slow_source"][size.name] = slow.to_json();
    figures["slow_source"][size.name]["seconds_per_batch"] = seconds_per_batch;
  }
  return figures;
}

std::string train_bench_table(const Json& figures) {
  TextTable table({{"model", TextTable::Align::kLeft},
                   {"device", TextTable::Align::kLeft},
                   {"examples/s"},
                   {"over cpu"}});
  for (const Size& size : kSizes) {
    add_rows(table, size.name, figures[size.name]);
    add_rows(table, std::string(size.name) + ", slow source", figures["slow_source"][size.name]);
  }
  return table.to_string();
}

}  // namespace runahead::apps
