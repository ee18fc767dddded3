#include "core/base/scratch_folder.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <system_error>

#include "core/base/error.h"

namespace runahead {

namespace fs = std::filesystem;

ScratchFolder::ScratchFolder() {
  std::string name = (fs::temp_directory_path() / "runahead-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) {
    throw Error("'" + name + "' could not be made: " + std::strerror(errno) +
                "; set TMPDIR to a folder that can be written to");
  }
  path_ = name;
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace runahead
