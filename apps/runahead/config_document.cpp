#include "apps/runahead/config_document.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "apps/runahead/programs.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/config/experiment_checks.h"
#include "core/config/experiment_config.h"
#include "core/config/sweep_config.h"

namespace runahead::apps {

void add_config_option(CLI::App& command, std::string& path, const std::string& what) {
  command.add_option("config", path, what)->required()->transform([](const std::string& named) {
    std::error_code ignored;
    if (named == "-" || std::filesystem::exists(named, ignored)) return named;
    const std::filesystem::path ready = project_folder() / named;
    return std::filesystem::is_regular_file(ready, ignored) ? ready.string() : named;
  });
}

std::map<std::string, std::string> missing_config(const std::string& example) {
  return {{"config",
           "no config given; give a JSON file, or - for stdin, as in `runahead " + example + "`"}};
}

ConfigDocument::ConfigDocument(std::string path, const JsonBounds& bounds)
    : path_(std::move(path)), json_(parse_json(read_file(path_, bounds.bytes), source(), bounds)) {}

std::string ConfigDocument::source() const { return path_ == "-" ? "stdin" : path_; }

config::SweepConfig ConfigDocument::sweep(const std::vector<std::string>& sets) const {
  const std::filesystem::path folder = std::filesystem::path(path_).parent_path();
  Json document = json_;
  std::string named = source();
  for (const std::string& assignment : sets) {
    config::apply_set_to_sweep(document, assignment, folder);
    named += " --set " + assignment;
  }
  return config::read_sweep(document, named, folder);
}

config::ExperimentConfig ConfigDocument::experiment(const std::vector<std::string>& sets) const {
  Json document = json_;
  std::string named = source();
  for (const std::string& assignment : sets) {
    config::apply_set(document, assignment);
    named += " --set " + assignment;
  }
  config::ExperimentConfig config = config::read_experiment(document, named);
  config::require_runnable(config, named);
  return config;
}

std::string ConfigDocument::path_for_next_program() const {
  if (std::filesystem::is_regular_file(path_)) return path_;
  const std::string text = dump_json(json_);
  const int descriptor = ::memfd_create("config", 0);  // Stays open across exec.
  if (descriptor < 0 || !write_all(descriptor, text)) {
    throw Error("cannot copy " + path_ + ": " + std::strerror(errno));
  }
  return "/proc/self/fd/" + std::to_string(descriptor);
}

std::optional<std::string> place_in_experiment(const std::string& key) {
  const Json config = config::to_json(config::ExperimentConfig{});
  if (config.contains(key)) return "/" + key;
  std::vector<std::string> places;
  for (const auto& [section, keys] : config.items()) {
    if (keys.is_object() && keys.contains(key)) places.push_back("/" + section + "/" + key);
  }
  if (places.size() != 1) return std::nullopt;
  return places.front();
}

std::optional<std::string> place_in_sweep(const std::string& key) {
  if (config::to_json(config::SweepConfig{}).contains(key)) return "/" + key;
  const std::optional<std::string> in_base = place_in_experiment(key);
  if (!in_base) return std::nullopt;
  return "/base" + *in_base;
}

}  // namespace runahead::apps
