// The engine alone: reads, transforms and writes files in parallel, at most 16 operations ahead.
// The order follows from the variables that operations read and write.
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <string>

#include "core/engine/engine.h"

namespace fs = std::filesystem;
using namespace runahead::engine;

int main() {
  const fs::path folder = fs::temp_directory_path() / "runahead_file_pipeline";
  fs::create_directories(folder);
  constexpr int kFiles = 100;
  for (int file = 0; file < kFiles; ++file) {
    std::ofstream(folder / (std::to_string(file) + ".txt")) << "the text of file " << file;
  }

  const auto engine = make_engine({.workers = 4, .limit = {.operations = 16}});
  const VariablePtr total = make_variable();
  std::size_t total_bytes = 0;
  for (int file = 0; file < kFiles; ++file) {
    const VariablePtr variable = make_variable();
    const auto text = std::make_shared<std::string>();
    const fs::path path = folder / (std::to_string(file) + ".txt");
    engine->push({.name = "read",
                  .body =
                      [path, text] {
                        std::ifstream in(path);
                        text->assign(std::istreambuf_iterator<char>(in), {});
                      },
                  .accesses = {{variable, AccessMode::kOverwrite}}});
    engine->push({.name = "capitalise",
                  .body =
                      [text] {
                        std::transform(text->begin(), text->end(), text->begin(),
                                       [](unsigned char letter) { return std::toupper(letter); });
                      },
                  .accesses = {{variable, AccessMode::kWrite}}});
    engine->push(
        {.name = "write",
         .body = [path, text] { std::ofstream(fs::path(path).replace_extension(".out")) << *text; },
         .accesses = {{variable, AccessMode::kRead}}});
    engine->push({.name = "count",
                  .body = [text, &total_bytes] { total_bytes += text->size(); },
                  .accesses = {{variable, AccessMode::kRead}, {total, AccessMode::kWrite}}});
  }
  engine->wait_for(total);
  std::cout << kFiles << " files, " << total_bytes << " bytes; at most " << engine->in_flight_peak()
            << " operations in flight\n";
  engine->wait_all();  // Rethrows the error of an operation, like wait_for.
  fs::remove_all(folder);
  return total_bytes == 1890 ? 0 : 1;
}
