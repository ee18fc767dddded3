#include "apps/runahead/help_footer.h"

#include <string>
#include <vector>

namespace runahead::apps {

namespace {

/// The end of a command's help.
struct Footer {
  std::string command{};
  std::vector<std::string> examples{};
  std::string codes{};  ///< One-letter names in kCodes.
};

struct Code {
  char name = 0;
  const char* text = "";
};

constexpr Code kCodes[] = {
    {'o', "0    all went well"},
    {'f', "1    failed while running"},
    {'u', "2    the command line or the config is wrong"},
    {'n', "3    something needed is missing: a device, a package, a program"},
    {'c', "4    some cells failed, were skipped or did not finish"},
    {'r', "5    a claim gave an unexpected result for its device"},
    {'b', "6    a --fail-if condition was true, or its figure was not measured"},
    {'i', "130  interrupted by Ctrl-C (another signal: 128 + its number)"},
    {'p', "else the exit code of COMMAND"},
};

const std::vector<Footer>& footers() {
  static const std::vector<Footer> all{
      {"run",
       {"runahead run train.json", "runahead run train.json --set /sync/policy=none --trace",
        "echo '{\"experiment\": \"train\"}' | runahead run -",
        "runahead run train.json --fail-if 'memory.rss_peak_bytes > 2GiB'"},
       "ofunbi"},
      {"sweep",
       {"runahead sweep configs/quickstart.json --dry-run",
        "runahead sweep configs/quickstart.json --out runs/quickstart",
        "runahead sweep configs/quickstart.json --set /repeats=5 --set /base/device=cpu"},
       "ofuncbi"},
      {"tune", {"runahead tune train.json", "runahead tune train.json --target 0.95"}, "ofuni"},
      {"reproduce", {"runahead reproduce --quick", "runahead reproduce --only dispatch"}, "ofunri"},
      {"report",
       {"runahead report runs/quickstart", "runahead report runs/before runs/after --table"},
       "ofuni"},
      {"export",
       {"runahead export runs/quickstart --to csv",
        "runahead export runs/before runs/after --to tensorboard --out board"},
       "ofuni"},
      {"bench", {"runahead bench dispatch", "runahead bench engine --json"}, "ofuni"},
      {"monitor",
       {"runahead monitor --out memory.csv -- python train.py", "runahead monitor --pid 1234"},
       "ofunbpi"},
      {"validate",
       {"runahead validate train.json", "runahead validate train.json --set /batches=3"},
       "ofun"},
      {"schema",
       {"runahead schema > config.schema.json", "runahead schema sweep > sweep.schema.json"},
       "ofu"},
      {"calibrate", {"runahead calibrate", "runahead calibrate --threads 2"}, "ofun"},
      {"devices", {"runahead devices", "runahead devices --json"}, "ofun"},
      {"experiments", {"runahead experiments"}, "ofu"},
      {"completion",
       {"source <(runahead completion bash)        # in ~/.bashrc",
        "runahead completion zsh > ~/.zfunc/_runahead  # ~/.zfunc must be in fpath before compinit "
        "runs"},
       "ofu"}};
  return all;
}

std::string text_of(const Footer& footer) {
  std::string text = "Examples:";
  for (const std::string& example : footer.examples) text += "\n  " + example;
  text += "\n\nExit codes:";
  for (const Code& code : kCodes) {
    if (footer.codes.find(code.name) != std::string::npos) text += std::string("\n  ") + code.text;
  }
  return text;
}

}  // namespace

void add_help_footers(CLI::App& program) {
  for (const Footer& footer : footers()) {
    CLI::App* command = program.get_subcommand(footer.command);
    const std::string own = command->get_footer();
    command->footer(own + (own.empty() ? "" : "\n") + text_of(footer));
  }
}

}  // namespace runahead::apps
