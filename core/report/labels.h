#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "core/base/json.h"
#include "core/report/run.h"

/// Names of runs, from their configs.
namespace runahead::report {

/// `text` with spaces for underscores.
[[nodiscard]] std::string spaced(std::string text);

/// A JSON value in a label: {"policy": "none"} becomes "policy none". Never "": an empty text has
/// its quotes, an empty object its braces.
[[nodiscard]] std::string compact(const Json& value);

/// "/data/batch_size" and 256 become "batch_size 256".
[[nodiscard]] std::string axis_label(const std::string& pointer, const Json& value);

/// axis_label() of each axis, separated by commas; "" without axes.
[[nodiscard]] std::string axes_label(const Json& axes);

/// The index of a policy in the list of all policies, which sets its colour; nullopt if unknown.
[[nodiscard]] std::optional<std::size_t> policy_place(const std::string& policy);

/// The policy's name for a line of a chart: "sync: waits after every batch (loss_value)". A policy
/// that this version does not know has its config name.
[[nodiscard]] std::string sync_label(const Json& sync);

/// The policy as the start of a sentence: "With a window of 2 batches".
[[nodiscard]] std::string sync_phrase(const Json& sync);

/// The name of a run's cell: its axes, else its sync policy, else its experiment.
[[nodiscard]] std::string cell_name(const Run& run);

/// cell_name(), preceded by the run's source.
[[nodiscard]] std::string run_name(const Run& run);

/// "runs/new: window of 2 batches"; only the name if the source is empty.
[[nodiscard]] std::string with_source(const std::string& name, const std::string& source);

/// Device, model, batches and where the data is made, on one line.
[[nodiscard]] std::string setting_label(const Json& config);

/// Whether setting_label() shows the value at a JSON pointer. Of an object it shows at most a part.
[[nodiscard]] bool setting_shows(const Json& config, const std::string& pointer);

}  // namespace runahead::report
