#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/json.h"
#include "core/record/record.h"

/// The single table of a record's figures. Terminal tables, CSV, Markdown, the page, the comparison
/// of two sweeps and the reference printed by `runahead experiments` all read it, so a figure added
/// here is shown wherever its entry says.
namespace runahead::record {

enum class Unit { kSeconds, kBytes, kCount, kNumber };

/// The direction of change that is worse.
enum class Worse { kMore, kLess, kNeither };

/// Where a figure is shown; values combine as bits.
enum Place : unsigned {
  kNowhere = 0,
  kRun = 1,         ///< The table that `run` prints.
  kBatches = 2,     ///< The table that `run` prints, for experiments that work through batches.
  kSweep = 4,       ///< The tables, JSON, CSV and Markdown of a sweep.
  kPage = 8,        ///< The table of runs on the page.
  kComparison = 16  ///< The comparison of two sweeps.
};

struct Figure {
  const char* name = "";     ///< Unique; JSON and CSV keys are derived from it.
  const char* pointer = "";  ///< JSON pointer into a record.
  const char* label = "";    ///< For people: headings of tables and charts.
  Unit unit = Unit::kNumber;
  Worse worse = Worse::kMore;
  unsigned places = kNowhere;
  const char* doc = "";  ///< Description, for the reference.
};

/// Every figure, in the order in which tables show them.
[[nodiscard]] const std::vector<Figure>& figures();

/// The figures shown in at least one of `places`, in order.
[[nodiscard]] std::vector<Figure> figures_in(unsigned places);

/// The finite number at a JSON pointer in a record's document, which may be of any version; nullopt
/// for anything else.
[[nodiscard]] std::optional<double> number_at(const Json& document, std::string_view pointer);

/// Whether the number at a JSON pointer was measured as NaN or infinity, which JSON writes as null.
[[nodiscard]] bool is_not_finite(const Json& document, std::string_view pointer);

/// number_at(), but NaN for what is_not_finite().
[[nodiscard]] std::optional<double> measured_at(const Json& document, std::string_view pointer);

/// The values of `figures` in `record`, in their order, as measured_at(); nullopt if not measured.
[[nodiscard]] std::vector<std::optional<double>> values_of(const Record& record,
                                                           const std::vector<Figure>& figures);

/// The unit of a record's key: "read_seconds", "ceiling_bytes"; kNumber for any other.
[[nodiscard]] Unit unit_of_key(std::string_view key);

/// `value` in the figure's unit, for people: "62.8 µs", "25.4 MB", "1,234"; "-" if not measured,
/// "not finite" for NaN.
[[nodiscard]] std::string text_of(Unit unit, std::optional<double> value);

/// "slower" or "larger": how a run changed if its figure grew.
[[nodiscard]] const char* more_word(const Figure& figure);
/// "faster" or "smaller": how a run changed if its figure shrank.
[[nodiscard]] const char* less_word(const Figure& figure);

/// "seconds", "bytes", "count" or "number", for the reference.
[[nodiscard]] const char* name_of(Unit unit);

}  // namespace runahead::record
