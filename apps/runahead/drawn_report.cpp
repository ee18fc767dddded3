#include "apps/runahead/drawn_report.h"

#include <sstream>

#include "apps/runahead/programs.h"
#include "core/base/error.h"
#include "core/base/log.h"
#include "core/base/scratch_folder.h"
#include "core/sweep/program_caller.h"

namespace runahead::apps {

std::vector<std::string> draw_report(const std::filesystem::path& folder,
                                     const std::filesystem::path& out) {
  std::vector<std::string> drawn;
  try {
    const std::filesystem::path script = project_folder() / "scripts" / "report.py";
    const ScratchFolder scratch;
    std::istringstream paths(sweep::ProgramCaller(scratch.path())
                                 .call(find_python(), {script.string(), "--out=" + out.string(),
                                                       "--", folder.string()}));
    for (std::string path; std::getline(paths, path);) drawn.push_back(path);
  } catch (const InterruptedError&) {
    throw;
  } catch (const Error& error) {
    log_warning(std::string("the charts could not be drawn: ") + error.what());
  }
  return drawn;
}

}  // namespace runahead::apps
