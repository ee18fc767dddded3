#include "core/experiment/progress_view.h"

#include <chrono>
#include <memory>
#include <ostream>
#include <utility>

#include "core/base/lines_in_place.h"
#include "core/base/periodic.h"

namespace runahead::experiment {
namespace {

constexpr std::chrono::milliseconds kTerminalPeriod{100};
constexpr std::chrono::milliseconds kLogPeriod{1000};

}  // namespace

std::jthread start_progress_view(ProgressOutput output,
                                 std::function<record::CellProgress()> progress) {
  const auto columns = [output] { return output.columns ? output.columns() : std::nullopt; };
  if (!columns()) {
    return every(kLogPeriod, [output, progress = std::move(progress)] {
      *output.out << progress_line(progress()) + "\n" << std::flush;
    });
  }
  const auto lines = std::make_shared<LinesInPlace>(*output.out);
  return every(kTerminalPeriod, [output, progress = std::move(progress), columns, lines] {
    lines->show(progress_lines(progress(), columns().value_or(1), output.coloured));
  });
}

}  // namespace runahead::experiment
