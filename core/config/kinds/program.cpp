#include "core/config/shared_keys.h"

namespace runahead::config {

ExperimentKind make_program() {
  return {
      .name = "program",
      .doc =
          "Any command: its time and the memory of its processes; it may add a record of its own.",
      .runs_command = true,
      .describe =
          [](ExperimentConfig& config, Fields& fields) {
            CommandConfig& command = config.command;
            fields.required_texts(
                {"command",
                 "The program, looked up in PATH, and its arguments, without a shell; {NAME} "
                 "stands for an argument of that name, {runahead_home} for the folder of the "
                 "ready configs."},
                command.words, {1, 1000});
            fields.scalars({"arguments", "What the placeholders of that name stand for."},
                           command.arguments);
            fields.scalars({"environment",
                            "Variables of its environment in addition to those of this process; "
                            "with placeholders, too."},
                           command.environment);
          },
      .results = {
          {"exit_code", "of the command; null if a signal ended it"},
          {"signal", "the signal that ended the command, or null"},
          {"wall_seconds", "from its start to its end"},
          {"rss_peak_bytes", "of all its processes together"},
          {"rss_peak_is_upper_bound",
           "whether that is only a bound: the command was small and short"},
          {"processes", "processes of the command that were seen; null if none was"},
          {"is_recorded",
           "whether the command wrote a record of its own, which is merged into this one"}}};
}

}  // namespace runahead::config
