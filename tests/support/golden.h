#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "text_file.h"

namespace runahead::test {

/// Expects `text` to be what `file` holds. With RUNAHEAD_UPDATE_GOLDEN=1, after a change of
/// wording, writes it there instead: read the diff.
inline void expect_golden(const std::filesystem::path& file, const std::string& text) {
  if (std::getenv("RUNAHEAD_UPDATE_GOLDEN") != nullptr) {
    write_text(file, text);
    return;
  }
  EXPECT_EQ(text, read_text(file)) << "RUNAHEAD_UPDATE_GOLDEN=1 ctest rewrites " << file;
}

}  // namespace runahead::test
