#include "core/sweep/program_caller.h"

#include <boost/asio/io_context.hpp>
#include <cstddef>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/log.h"

namespace runahead::sweep {
namespace {

constexpr std::size_t kMaxOutputBytes = std::size_t{1} << 20;

std::string failure_text(const std::filesystem::path& program, const ChildEnd& end) {
  std::string text = "'" + program.string() + "' ended ";
  text += end.signal ? "by signal " + std::to_string(*end.signal)
                     : "with exit code " + std::to_string(end.exit_code);
  if (!end.last_error_line.empty()) text += "; its last words: ";
  text += without_error_prefix(end.last_error_line);
  return text;
}

}  // namespace

std::string ProgramCaller::call(const std::filesystem::path& program,
                                const std::vector<std::string>& arguments) {
  child_.context().poll();
  if (interrupted_) throw InterruptedError("interrupted");
  const ChildEnd end =
      child_.run({.program = program, .arguments = arguments, .log_folder = log_folder_});
  if (interrupted_) throw InterruptedError("interrupted");
  if (end.signal || end.exit_code != 0) throw Error(failure_text(program, end));
  return read_file(log_folder_ / "stdout.txt", kMaxOutputBytes);
}

void ProgramCaller::interrupt() {
  interrupted_ = true;
  child_.interrupt();
}

}  // namespace runahead::sweep
