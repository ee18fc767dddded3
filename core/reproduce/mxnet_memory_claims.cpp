#include "core/reproduce/claim_table.h"
#include "core/reproduce/claims.h"
#include "core/reproduce/judges.h"

namespace runahead::reproduce {
namespace {

constexpr const char* kConstant = "each further batch raises the peak by <= 0.1 of its inputs";
constexpr const char* kGrowing = "each further batch raises the peak by >= 0.5 of its inputs";

RunPair pair(const std::string& name) { return {name + ".short", name + ".long"}; }

Place total(const std::string& run) { return {run, "/time/total_seconds"}; }

std::vector<Claim> chapter_claims() {
  return claims_on(
      "train",
      {{.id = "mxnet.memory_is_constant_with_a_wait",
        .text = "With a wait per batch the memory of training does not grow.",
        .condition = kConstant,
        .expected = kOnCpuAndAcpu,
        .judge = peak_is_constant(pair("train.on_device.every_batch"))},
       {.id = "mxnet.memory_grows_without_a_wait",
        .text = "Without a wait it grows with the number of batches.",
        .condition = kGrowing,
        .expected = kOnAcpuNotOnCpu,
        .judge = peak_grows(pair("train.on_device.none")),
        .depends_on = "On the order in which ready operations run and on when memory is taken: see "
                      "ready order, allocation and data made on the host. Not asked on CUDA, "
                      "where no counter of its memory is read yet."},
       {.id = "mxnet.data_is_made_early",
        .text = "Without a wait all batches are issued long before the training ends.",
        .condition = "issuing < 10 % of the total time",
        .expected = kNotOnCpu,
        .judge = share_of_medians({"train.on_device.none.long", "/time/issue_seconds"}, below(0.1),
                                  total("train.on_device.none.long"))},
       {.id = "mxnet.a_wait_makes_no_batch_faster",
        .text = "With a wait each minibatch takes as long or longer.",
        .condition = "total without <= 1.05 of that with (median of the pairs of runs)",
        .expected = kEverywhere,
        .judge = share_of_pairs(total("train.on_device.none.short"), at_most(1.05),
                                total("train.on_device.every_batch.short"))},
       {.id = "mxnet.memory_read_after_the_wait_shows_it",
        .text = "Memory read after the final wait, as the chapter reads it, shows the growth.",
        .condition = "at least half of the growth at the peak is left",
        .expected = {.on_acpu = kFails},
        .judge = growth_is_left_in_the_end("train.on_device.none.long"),
        .depends_on =
            "On what the allocator keeps: here freed blocks go back to the system, and only "
            "the peak shows what the queue had cost."}});
}

std::vector<Claim> condition_claims() {
  return claims_on(
      "train",
      {{.id = "mxnet.growth_depends_on_the_ready_order",
        .text = "Where the oldest ready operation runs first, it does not grow.",
        .condition = kConstant,
        .expected = kOnAcpu,
        .judge = peak_is_constant(pair("train.oldest_first.none")),
        .depends_on =
            "On the ready order: batches that depend on nothing are made early only where "
            "what is ready first runs first."},
       {.id = "mxnet.growth_depends_on_the_allocation",
        .text =
            "Where memory is taken at issue, it grows although the oldest operation runs first.",
        .condition = kGrowing,
        .expected = kOnAcpu,
        .judge = peak_grows(pair("train.at_issue.none")),
        .depends_on = "On the allocation: at issue every result that is in flight has its memory."},
       {.id = "mxnet.growth_of_data_made_on_the_host",
        .text = "Batches made on the host pile up without a wait, and do not with one.",
        .condition = "without: >= 0.5 of its inputs a batch; with: <= 0.1",
        .expected = kOnAcpu,
        .judge = all_of({peak_grows(pair("train.on_host.none")),
                         peak_is_constant(pair("train.on_host.every_batch"))}),
        .depends_on = "On when memory is taken: that of the host when the batch is made, whatever "
                      "runs first."}});
}

std::vector<Claim> prediction_claims() {
  return claims_on(
      "predict",
      {{.id = "mxnet.prediction_grows_without_a_wait",
        .text = "Predicting a large data set without a wait, outputs dropped, memory grows.",
        .condition = kGrowing,
        .expected = kOnAcpuNotOnCpu,
        .judge = peak_grows(pair("predict.dropped.none")),
        .depends_on = "On where inputs are made: here on the host. See the next."},
       {.id = "mxnet.prediction_grows_with_data_of_the_device",
        .text =
            "Where the device makes the inputs, memory of prediction grows without a wait, too.",
        .condition = kGrowing,
        .expected = {.on_acpu = kFails},
        .judge = peak_grows(pair("predict.on_device.none")),
        .depends_on =
            "On what follows from what. One draw of the generator follows another, so what "
            "is ready first is in turn a draw and a layer of each batch drawn before: no "
            "more batches are drawn than there are layers under way. In training each step "
            "follows the one before it, and draws get ahead."},
       {.id = "mxnet.prediction_is_constant_with_a_wait",
        .text = "With a wait per batch the memory of prediction does not grow.",
        .condition = kConstant,
        .expected = kOnCpuAndAcpu,
        .judge = peak_is_constant(pair("predict.dropped.every_batch"))},
       {.id = "mxnet.kept_outputs_grow_in_any_case",
        .text = "Outputs that the program keeps take memory with a wait and without one.",
        .condition = kGrowing,
        .expected = kOnCpuAndAcpu,
        .judge = all_of(
            {peak_grows(pair("predict.kept.none")), peak_grows(pair("predict.kept.every_batch"))}),
        .depends_on =
            "On the program: what it keeps no wait can free. Here outputs are as large as "
            "inputs."}});
}

}  // namespace

std::vector<Claim> mxnet_memory_claims() {
  return concatenated({chapter_claims(), condition_claims(), prediction_claims()});
}

}  // namespace runahead::reproduce
