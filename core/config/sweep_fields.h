#pragma once

#include "core/base/fields.h"
#include "core/config/sweep_config.h"

namespace runahead::config {

/// Names and documentation of the keys that hold other JSON.
inline constexpr Key kBaseKey{
    "base",
    "The experiment config that every cell starts from: an object, or a file, "
    "relative to the sweep's own."};
inline constexpr Key kAxesKey{
    "axes",
    "JSON pointer into the experiment config to the values it takes: a list, or what "
    "generates one."};
inline constexpr Key kZipKey{
    "zip",
    "Groups of axes that take their values together, the first of each, then "
    "the second of each."};
inline constexpr Key kCellsKey{
    "cells",
    "More cells in addition to the grid of axes and zip: JSON pointer to value. Without "
    "axes and zip, all there are."};
inline constexpr Key kExcludeKey{
    "exclude",
    "Cells of the grid to leave out: those that have all the values of an "
    "entry, JSON pointer to value."};

/// Describes the keys of a sweep config except those that hold other JSON.
void describe(SweepConfig& sweep, Fields& fields);

}  // namespace runahead::config
