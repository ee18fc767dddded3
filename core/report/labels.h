#pragma once

#include <string>

#include "core/base/json.h"
#include "core/report/run.h"

/// What runs are called: by what their config says.
namespace runahead::report {

/// A JSON value in a label: {"policy": "none"} becomes "policy none".
[[nodiscard]] std::string compact(const Json& value);

/// "/data/batch_size", 256 becomes "batch_size 256".
[[nodiscard]] std::string axis_label(const std::string& pointer, const Json& value);

/// axis_label of each axis, with commas; "" without axes.
[[nodiscard]] std::string axes_label(const Json& axes);

/// A sync policy as a line of a chart is called: "sync: waits after every batch (loss_value)"; the
/// policy's own name if it is not known.
[[nodiscard]] std::string sync_label(const Json& sync);

/// The same to start a sentence with: "With a window of 2 batches".
[[nodiscard]] std::string sync_phrase(const Json& sync);

/// What tells a run apart in a table: its axes, else its sync policy, else its experiment; where
/// two sweeps are compared, after the name of its sweep.
[[nodiscard]] std::string run_name(const Run& run);

/// "runs/new: window of 2 batches"; only the name where there is no source.
[[nodiscard]] std::string with_source(const std::string& name, const std::string& source);

/// Device, model, batches and where data is made, on one line.
[[nodiscard]] std::string setting_label(const Json& config);

}  // namespace runahead::report
