#pragma once

#include <functional>
#include <iosfwd>
#include <stop_token>
#include <string>
#include <thread>

namespace runahead::experiment {

/// Shows a line that changes in place, from a thread of its own: first after a second (short runs
/// show none), then ten times a second. Ends, and clears the line, with the object.
class ProgressLine {
 public:
  /// @param out   Written to by the thread only, while the object lives.
  /// @param line  Makes the present line, without a newline; called on the thread, must be quick.
  ProgressLine(std::ostream& out, std::function<std::string()> line);
  ~ProgressLine() = default;
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

 private:
  static void run(const std::stop_token& stop, std::ostream& out,
                  const std::function<std::string()>& line);

  std::jthread thread_;
};

}  // namespace runahead::experiment
