#include "core/base/scratch_folder.h"

#include <cstdlib>
#include <string>
#include <system_error>

#include "core/base/error.h"

namespace runahead {

namespace fs = std::filesystem;

ScratchFolder::ScratchFolder() {
  std::string name = (fs::temp_directory_path() / "runahead-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw Error("'" + name + "' could not be made");
  path_ = name;
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace runahead
