#include "apps/runahead/benchmarks.h"

#include <array>
#include <optional>
#include <vector>

#include "apps/runahead/bench_figures.h"
#include "core/base/error.h"
#include "core/base/log.h"
#include "core/report/table.h"
#include "core/sweep/single_run.h"

namespace runahead::apps {

namespace {

constexpr const char* kThroughput = "examples_per_second";

/// One row of the table: a device and a policy (its key in the result), or the fastest settings.
struct Case {
  const char* device;
  const char* policy;
  const char* settings;  ///< JSON that is merged into the config of the size.
};

constexpr std::array<Case, 5> kCases{{
    {"cpu", "every_batch", R"({"device": "cpu", "sync": {"policy": "every_batch"}})"},
    {"acpu", "every_batch", R"({"device": "acpu", "sync": {"policy": "every_batch"}})"},
    {"acpu", "window2", R"({"device": "acpu", "sync": {"policy": "window", "batches": 2}})"},
    {"acpu", "none", R"({"device": "acpu", "sync": {"policy": "none"}})"},
    {"acpu", "fastest",
     R"({"device": "acpu", "sync": {"policy": "none"},
         "acpu": {"products": "fastest", "freed_memory": "kept"}})"},
}};
constexpr std::size_t kCpu = 0;

/// A problem size. It has enough batches for a run on `cpu` to last about a second or (mlp) two,
/// and few enough for 7 rounds of everything to end within 6 minutes on 2 cores.
struct Size {
  const char* name;
  std::int64_t batches;
  std::int64_t slow_source_batches;  ///< Fewer, because each takes up to twice as long.
  const char* config;
};

constexpr std::array<Size, 2> kSizes{{
    {"mlp", 18, 12,
     R"({"experiment": "train", "warmup_batches": 2,
         "model": {"layers": [2048, 512, 1]},
         "data": {"features": 512, "batch_size": 1024},
         "monitor": {"rate_hz": 0}})"},
    {"small", 6000, 4000,
     R"({"experiment": "train", "warmup_batches": 200,
         "model": {"layers": [64, 1]},
         "data": {"features": 64, "batch_size": 64},
         "monitor": {"rate_hz": 0}})"},
}};

/// The cases of one size, run side by side.
class Group {
 public:
  Group(sweep::CellRunner& runner, const BenchOptions& options, std::string name,
        const Json& config)
      : runner_(runner), name_(std::move(name)), rounds_(name_, cases_of(config), options) {}

  void run() { rounds_.run(); }

  [[nodiscard]] double cpu_examples_per_second() const {
    const auto spread = rounds_.figure(kCpu, kThroughput);
    if (!spread) throw Error("bench train: the cpu device could not be measured");
    return spread->median;
  }

  [[nodiscard]] Json to_json() const {
    Json group = Json::object();
    for (std::size_t index = 0; index < kCases.size(); ++index) {
      Json entry = nullptr;
      if (const auto spread = rounds_.figure(index, kThroughput)) {
        entry = Json::object();
        add_spread(entry, kThroughput, spread);
      }
      if (index == kCpu) {
        group["cpu"] = entry;
      } else {
        group["acpu"][kCases[index].policy] = entry;
        add_spread(group["acpu"], std::string(kCases[index].policy) + "_over_cpu",
                   rounds_.ratio(index, kThroughput, kCpu, kThroughput));
      }
    }
    return group;
  }

 private:
  std::vector<BenchCase> cases_of(const Json& config) {
    std::vector<BenchCase> cases;
    for (std::size_t index = 0; index < kCases.size(); ++index) {
      Json document = config;
      document.merge_patch(Json::parse(kCases[index].settings));
      const sweep::Cell cell = sweep::cell_of(config::read_experiment(document, "bench train"));
      cases.push_back([this, index, cell] { return measure(index, cell); });
    }
    return cases;
  }

  std::optional<Measurement> measure(std::size_t index, const sweep::Cell& cell) {
    const record::Record record = sweep::run_cell(runner_, cell, next_run_++);
    if (record.status != record::Status::kOk || !record.time.examples_per_second) {
      log_warning(name_ + ", " + kCases[index].device + " " + kCases[index].policy + " " +
                  std::string(name_of(record.status)) + ": " + record.error.value_or("no figures"));
      return std::nullopt;
    }
    return Measurement{.figures = {{kThroughput, *record.time.examples_per_second}},
                       .had_the_cpu = sweep::had_the_cpu(record, cell.config)};
  }

  sweep::CellRunner& runner_;
  std::string name_;
  std::int64_t next_run_ = 0;
  BenchRounds rounds_;
};

void add_rows(report::Table& table, const std::string& name, const Json& group) {
  table.add_row({name, "cpu", three_digit_spread(group["cpu"], "examples_per_second"), "1.000"});
  for (std::size_t index = kCpu + 1; index < kCases.size(); ++index) {
    const std::string policy = kCases[index].policy;
    table.add_row({name, "acpu " + policy,
                   three_digit_spread(group["acpu"][policy], "examples_per_second"),
                   spread_text(group["acpu"], policy + "_over_cpu", "%.3f")});
  }
}

}  // namespace

Json bench_train(sweep::CellRunner& runner, const BenchOptions& options) {
  Json figures = {{"mlp", nullptr}, {"small", nullptr}, {"slow_source", Json::object()}};
  for (const Size& size : kSizes) {
    Json config = Json::parse(size.config);
    config["batches"] = size.batches;
    Group group(runner, options, size.name, config);
    group.run();
    figures[size.name] = group.to_json();

    const double seconds_per_batch =
        config["data"]["batch_size"].get<double>() / group.cpu_examples_per_second();
    config["batches"] = size.slow_source_batches;
    config["data"]["seconds_per_batch"] = seconds_per_batch;
    Group slow(runner, options, std::string(size.name) + ", slow source", config);
    slow.run();
    figures["slow_source"][size.name] = slow.to_json();
    figures["slow_source"][size.name]["seconds_per_batch"] = seconds_per_batch;
  }
  return figures;
}

constexpr const char* kLegend =
    R"(mlp          layers with 2048, 512 and 1 outputs; batches of 1024
small        layers with 64 and 1 outputs; batches of 64
every_batch  waits for the loss of every batch
window2      keeps at most 2 batches in flight
none         never waits
fastest      as none, with "products": "fastest" and "freed_memory": "kept"
With a slow source, each batch takes as long to arrive as a training step. Medians, with minimum and
maximum in brackets.

)";

std::string train_bench_table(const Json& figures) {
  report::Table table{.headings = {"model", "device, sync policy", "examples/s", "relative to cpu"},
                      .text_columns = 2};
  for (const Size& size : kSizes) {
    add_rows(table, size.name, figures[size.name]);
    add_rows(table, std::string(size.name) + ", slow source", figures["slow_source"][size.name]);
  }
  return kLegend + to_text(table);
}

}  // namespace runahead::apps
