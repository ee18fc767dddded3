// What scripts rely on: exit codes, what is printed where, and what is written.
#include "cell_fixture.h"

namespace runahead {
namespace {

namespace fs = std::filesystem;
using record::Status;
using test::ProgramEnd;

using CellProgram = test::CellTest;

TEST_F(CellProgram, WritesTheRecordAndTheSamples) {
  const ProgramEnd end = cell({"run", config(), "--out", out(), "--repeat", "3"});

  EXPECT_EQ(end.exit_code, 0) << end.err;
  EXPECT_EQ(record().status, Status::kOk);
  EXPECT_EQ(record().repeat, 3);
  EXPECT_TRUE(record().environment.malloc);
  EXPECT_EQ(test::read_text(folder() / "out" / "samples.csv").rfind("time_seconds,rss_bytes,", 0),
            0);
  EXPECT_NE(end.out.find("train on acpu, sync every_batch (loss_value): ok"), std::string::npos);
  EXPECT_NE(end.out.find(out()), std::string::npos);
}

TEST_F(CellProgram, WritesATraceOnlyWhenAsked) {
  EXPECT_EQ(cell({"run", config(), "--out", out()}).exit_code, 0);
  EXPECT_FALSE(fs::exists(out() + "/trace.json"));
  EXPECT_FALSE(record().results.contains("trace"));
  EXPECT_EQ(cell({"run", config(), "--out", out() + "2", "--trace"}).exit_code, 0);
  EXPECT_TRUE(fs::exists(out() + "2/trace.json"));
}

TEST_F(CellProgram, TraceThatCannotBeWrittenCostsTheTraceAlone) {
  // The trace of so many batches is the only file above this limit, in blocks of 512 bytes.
  const std::string limited = "ulimit -f 128; exec " RUNAHEAD_CELL " run " +
                              config({{"batches", 500}, {"monitor", {{"rate_hz", 1}}}}) +
                              " --trace --out " + out();
  const ProgramEnd end = test::Program(folder(), "/bin/sh", {"-c", limited}).wait();
  EXPECT_EQ(end.exit_code, 1);
  EXPECT_NE(end.err.find("trace.json"), std::string::npos) << end.err;
  EXPECT_EQ(record().status, Status::kOk);
  EXPECT_TRUE(fs::exists(out() + "/samples.csv"));
}

TEST_F(CellProgram, SaysWhyItsOutputIsLost) {
  int run = 0;
  for (const std::string stdout_is : {">/dev/full", ">&-"}) {
    const std::string command = "exec " RUNAHEAD_CELL " run " + config() + " --out " + out() +
                                std::to_string(++run) + " " + stdout_is;
    const ProgramEnd end = test::Program(folder(), "/bin/sh", {"-c", command}).wait();
    EXPECT_EQ(end.exit_code, 1);
    EXPECT_NE(end.err.find("cannot write to stdout: "), std::string::npos) << end.err;
    EXPECT_TRUE(fs::exists(out() + std::to_string(run) + "/record.json"));
  }
}

TEST_F(CellProgram, PartsOfTheHighestRssAddUpToIt) {
  EXPECT_EQ(cell({"run", config(), "--out", out()}).exit_code, 0);
  const Json parts = record().memory.attribution;
  std::int64_t sum = 0;
  for (const auto& [name, bytes] : parts.items()) {
    if (name == "time_seconds" || name == "rss_bytes") continue;
    sum += (name == "untouched_bytes" ? -1 : 1) * bytes.get<std::int64_t>();
  }
  EXPECT_EQ(sum, parts.at("rss_bytes"));
  EXPECT_GT(parts.at("parameters_bytes"), 0);
}

TEST_F(CellProgram, JsonIsTheRecordAlone) {
  const ProgramEnd end = cell({"run", config(), "--out", out(), "--json"});

  EXPECT_EQ(parse_json(end.out, "stdout"), record::to_json(record()));
}

TEST_F(CellProgram, SetsChangeTheConfigAndAxesAreRecorded) {
  const auto axes = test::write_text(folder() / "axes.json", R"({"/batches": 2})");

  const ProgramEnd end = cell({"run", config(), "--set", "/batches=2", "--set", "/device=cpu",
                               "--axes", axes.string(), "--out", out()});

  EXPECT_EQ(end.exit_code, 0) << end.err;
  EXPECT_EQ(record().config["batches"], 2);
  EXPECT_EQ(record().device, "cpu");
  EXPECT_EQ(record().axes, Json({{"/batches", 2}}));
}

TEST_F(CellProgram, PrintGoesToStderr) {
  const ProgramEnd end = cell({"run", config({{"sync", {{"wait", "print"}}}}), "--out", out()});

  EXPECT_NE(end.err.find("loss "), std::string::npos);
  EXPECT_EQ(end.out.find("loss 0"), std::string::npos);
}

TEST_F(CellProgram, WrongConfigsAreUsageErrorsThatWriteNothing) {
  for (const Json& wrong :
       {Json{{"batchs", 3}}, Json{{"batches", 0}}, Json{{"batches", "many"}},
        Json{{"data", {{"features", 1'000'000'000'000}}}}, Json{{"sync", {{"policy", "always"}}}},
        Json{{"data", {{"prefetch", -1}}}}}) {
    const ProgramEnd end = cell({"run", config(wrong), "--out", out()});

    EXPECT_EQ(end.exit_code, 2) << wrong << end.err;
    EXPECT_NE(end.err, "");
    EXPECT_FALSE(fs::exists(out())) << wrong;
  }
}

TEST_F(CellProgram, WrongCommandLinesAreUsageErrors) {
  EXPECT_EQ(cell({}).exit_code, 2);
  EXPECT_EQ(cell({"run"}).exit_code, 2);
  EXPECT_EQ(cell({"run", (folder() / "missing.json").string()}).exit_code, 2);
  EXPECT_EQ(cell({"run", config(), "--out", out(), "--repeat", "-1"}).exit_code, 2);
  EXPECT_FALSE(fs::exists(out()));
}

TEST_F(CellProgram, DeviceThatIsNotThereIsUnavailable) {
  for (const char* policy : {"none", "window", "budget", "adaptive"}) {
    const ProgramEnd end = cell(
        {"run", config({{"device", "cuda:99"}, {"sync", {{"policy", policy}}}}), "--out", out()});

    EXPECT_EQ(end.exit_code, 3) << policy << ": " << end.err;
    EXPECT_NE(end.err.find("cuda:99"), std::string::npos) << end.err;
    EXPECT_FALSE(fs::exists(out()));
  }
}

TEST_F(CellProgram, CudaWithoutADeviceIsUnavailableAndSaysWhy) {
  const ProgramEnd end =
      test::Program(folder(), RUNAHEAD_CELL, {"run", config({{"device", "cuda"}}), "--out", out()},
                    {{"CUDA_VISIBLE_DEVICES", ""}})
          .wait();

  EXPECT_EQ(end.exit_code, 3) << end.err;
  EXPECT_NE(end.err.find("device 'cuda': LibTorch found no CUDA device: "), std::string::npos)
      << end.err;
  EXPECT_NE(end.err.find("use cpu or acpu"), std::string::npos) << end.err;
  EXPECT_FALSE(fs::exists(out()));
}

// For another allocator the program executes itself again, and that ends.
TEST_F(CellProgram, DeviceThatIsNotThereIsUnavailableWithEveryAllocator) {
  for (const Json& cuda :
       {Json{{"allocator", "cuda_malloc_async"}}, Json{{"expandable_segments", true}}}) {
    const ProgramEnd end =
        cell({"run", config({{"device", "cuda:99"}, {"cuda", cuda}}), "--out", out()});

    EXPECT_EQ(end.exit_code, 3) << cuda << ": " << end.err;
    EXPECT_NE(end.err.find("cuda:99"), std::string::npos) << end.err;
    EXPECT_FALSE(fs::exists(out()));
  }
}

TEST_F(CellProgram, RecordIsNeverOverwritten) {
  test::write_text(fs::path(out()) / "record.json", "precious");

  EXPECT_EQ(cell({"run", config(), "--out", out()}).exit_code, 2);
  EXPECT_EQ(test::read_text(fs::path(out()) / "record.json"), "precious");
}

TEST_F(CellProgram, ModelThatDoesNotFitIsOutOfMemory) {
  const Json huge = {{"device", "cpu"},
                     {"model", {{"layers", {1'000'000, 1}}}},
                     {"data", {{"features", 100'000}, {"batch_size", 1}}}};

  const ProgramEnd end = cell({"run", config(huge), "--out", out()});

  EXPECT_EQ(end.exit_code, 1) << end.err;
  EXPECT_EQ(record().status, Status::kOutOfMemory);
}

TEST_F(CellProgram, DevicesReportsWhatIsThere) {
  const ProgramEnd end = cell({"devices", "--json"});

  EXPECT_EQ(end.exit_code, 0) << end.err;
  const Json devices = parse_json(end.out, "stdout");
  ASSERT_EQ(devices.size(), 3);
  EXPECT_EQ(devices[0]["device"], "cpu");
  EXPECT_EQ(devices[1]["device"], "acpu");
  EXPECT_EQ(devices[2]["device"], "cuda");
  EXPECT_TRUE(devices[0]["available"].get<bool>());
}

TEST_F(CellProgram, DevicesReportsOfEveryProbeOfCudaAndWhyThereIsNone) {
  const Json cuda = parse_json(cell({"devices", "--json"}).out, "stdout").at(2);

  for (const char* probe : {"cuda_memory", "allocator", "pinned_memory", "pool", "nvml"}) {
    ASSERT_TRUE(cuda.at("probes").at(probe).is_boolean()) << cuda;
    if (cuda.at("available").get<bool>()) continue;
    EXPECT_FALSE(cuda.at("probes").at(probe).get<bool>()) << probe;
  }
  EXPECT_EQ(cuda.at("devices").size(), cuda.at("count").get<std::size_t>());
  EXPECT_NE(cell({"devices"}).out.find(cuda.at("what").get<std::string>()), std::string::npos);
}

}  // namespace
}  // namespace runahead
