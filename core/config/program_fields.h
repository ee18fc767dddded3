#pragma once

#include "core/config/experiment_config.h"
#include "core/config/fields.h"

/// Descriptions of the keys of ProgramConfig, by the kinds that share them.
namespace runahead::config {

void describe_size(ProgramConfig& program, Fields& fields);
void describe_queue(ProgramConfig& program, Fields& fields);
void describe_products(ProgramConfig& program, Fields& fields);
void describe_increment(ProgramConfig& program, Fields& fields);
void describe_graph(ProgramConfig& program, Fields& fields);
void describe_print_every(ProgramConfig& program, Fields& fields);
void describe_outputs(ProgramConfig& program, Fields& fields);
void describe_exercise(ProgramConfig& program, Fields& fields);
void describe_delays(ProgramConfig& program, Fields& fields);
void describe_launch_queue(ProgramConfig& program, Fields& fields);
void describe_repeats(ProgramConfig& program, Fields& fields);

}  // namespace runahead::config
