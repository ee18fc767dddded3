// A training job on IDX files: it learns, and goes on after a kill as if nothing had been.
#include <gmock/gmock.h>
#include <signal.h>

#include <random>

#include "cell_fixture.h"

namespace runahead {
namespace {

using record::Status;
using test::Program;
using test::ProgramEnd;
using ::testing::HasSubstr;

constexpr int kClasses = 4;
constexpr int kPixels = 36;

/// The format of MNIST.
std::string idx(const std::vector<std::uint32_t>& shape, const std::string& elements) {
  std::string text("\0\0\x08", 3);
  text += static_cast<char>(shape.size());
  for (const std::uint32_t size : shape) {
    for (const int shift : {24, 16, 8, 0}) text += static_cast<char>((size >> shift) & 0xFFU);
  }
  return text + elements;
}

class CellJob : public test::CellTest {
 protected:
  CellJob() {
    write_examples("train", 600);
    write_examples("test", 200);
  }

  /// Images of noise, each with a bright row that is its class.
  void write_examples(const std::string& name, std::uint32_t examples) {
    std::string images;
    std::string labels;
    for (std::uint32_t example = 0; example < examples; ++example) {
      const int label = static_cast<int>(random_() % kClasses);
      for (int pixel = 0; pixel < kPixels; ++pixel) {
        const unsigned bright = pixel / 6 == label ? 100U : 0U;
        images += static_cast<char>(bright + random_() % 120U);
      }
      labels += static_cast<char>(label);
    }
    test::write_text(path(name + "-images"), idx({examples, 6, 6}, images));
    test::write_text(path(name + "-labels"), idx({examples}, labels));
  }

  [[nodiscard]] std::string path(const std::string& name) const {
    return (folder() / name).string();
  }

  /// Batch norm has buffers, dropout draws, and momentum is kept: all of it must be restored.
  std::string job(const std::string& checkpoint, const Json& changes = Json::object()) {
    Json document = {
        {"batches", 200},
        {"warmup_batches", 0},
        {"loss", "cross_entropy"},
        {"model", {{"layers", {32, kClasses}}, {"dropout", 0.2}, {"normalization", "batch"}}},
        {"data",
         {{"kind", "files"},
          {"features", nullptr},
          {"batch_size", 32},
          {"inputs", {{"path", path("train-images")}, {"scale", 1.0 / 255}}},
          {"targets", {{"path", path("train-labels")}}},
          {"loader_threads", 2}}},
        {"optimizer", {{"kind", "sgd"}, {"learning_rate", 0.1}, {"momentum", 0.9}}},
        {"sync", {{"policy", "window"}, {"batches", 2}}},
        {"checkpoint", {{"path", path(checkpoint)}, {"every", 30}}}};
    document.merge_patch(changes);
    return config(document);
  }

  void wait_for_file(const std::string& name) const {
    wait_until([&] { return std::filesystem::exists(path(name)); }, name);
  }

 private:
  std::mt19937 random_{1};
};

TEST_F(CellJob, LearnsWhatItsFilesShow) {
  const Json evaluation = {{"every", 150},
                           {"inputs", {{"path", path("test-images")}}},
                           {"targets", {{"path", path("test-labels")}}}};
  const ProgramEnd end =
      cell({"run", job("job.safetensors", {{"evaluation", evaluation}}), "--out", out()});

  ASSERT_EQ(end.exit_code, 0) << end.err;
  const Json results = record().results.at("train");
  EXPECT_GE(results.at("accuracy"), 0.95);
  EXPECT_EQ(results.at("evaluations").size(), 2U);
  EXPECT_LT(results["evaluations"][1]["loss"], 0.1);
  EXPECT_FALSE(results.contains("resumed_at_batch"));
}

TEST_F(CellJob, GoesOnAfterAKillToTheSameBits) {
  for (const char* device : {"acpu", "cpu"}) {
    const std::string killed = std::string("killed-") + device;
    const std::string whole = std::string("whole-") + device;
    const Json slow = {{"device", device}, {"data", {{"seconds_per_batch", 0.02}}}};
    Program run = start({"run", job(killed, slow), "--out", path("run-" + killed)});
    wait_for_file(killed);
    run.send(SIGKILL);
    static_cast<void>(run.wait());

    // Neither the policy nor the loader plays a part in what is computed.
    const Json other = {{"device", device},
                        {"data", {{"loader_threads", 0}, {"prefetch", 2}}},
                        {"sync", {{"policy", "every_batch"}, {"batches", nullptr}}}};
    const ProgramEnd resumed =
        cell({"run", job(killed, other), "--out", path("resumed-" + killed)});
    ASSERT_EQ(resumed.exit_code, 0) << device << resumed.err;
    const record::Record record =
        record::read_record(folder() / ("resumed-" + killed) / "record.json");
    EXPECT_GE(record.results["train"].at("resumed_at_batch"), 30);
    ASSERT_EQ(
        cell({"run", job(whole, {{"device", device}}), "--out", path("run-" + whole)}).exit_code,
        0);
    EXPECT_TRUE(test::read_text(path(killed)) == test::read_text(path(whole))) << device;
  }
}

TEST_F(CellJob, GoesOnWithNothingButItself) {
  ASSERT_EQ(cell({"run", job("job"), "--out", path("first")}).exit_code, 0);

  const ProgramEnd done = cell({"run", job("job"), "--out", path("second")});
  EXPECT_EQ(done.exit_code, 2);
  EXPECT_THAT(done.err, HasSubstr("/batches: found 200; the checkpoint"));
  const ProgramEnd other = cell({"run", job("job", {{"seed", 1}}), "--out", path("third")});
  EXPECT_THAT(other.err, HasSubstr("found a checkpoint of a job that differs in /seed"));
  EXPECT_EQ(cell({"run", job("job", {{"batches", 240}}), "--out", out()}).exit_code, 0);
  EXPECT_EQ(record().results["train"]["resumed_at_batch"], 200);
}

}  // namespace
}  // namespace runahead
