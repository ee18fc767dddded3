#include "core/memory/process_probe.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>

namespace runahead::memory {
namespace {

std::uint64_t page_bytes() noexcept {
  static const auto bytes = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  return bytes;
}

/// Line by line: the line of the groups, which comes before, has no bound.
Reading read_peak(const std::string& folder) {
  std::ifstream status(folder + "/status");
  for (std::string line; std::getline(status, line);) {
    if (const Reading peak = find_kib_field(line, "VmHWM:")) return peak;
  }
  return std::nullopt;
}

Reading rss_bytes_of(const ProcFile& statm) noexcept {
  std::array<char, 256> buffer;
  const auto text = statm.read(buffer);
  if (!text) return std::nullopt;
  // "size resident shared …", in pages.
  const std::size_t space = text->find(' ');
  if (space == std::string_view::npos) return std::nullopt;
  const auto pages = parse_count(text->substr(space + 1));
  // A process or thread that has ended and was not collected shows 0 pages.
  return pages.value_or(0) > 0 ? std::optional(*pages * page_bytes()) : std::nullopt;
}

/// The folder that shows the memory of a process. That is its own, which shows its main thread's,
/// unless that thread has ended and others go on: then that of one of them.
std::string memory_folder(pid_t process_id) {
  std::string folder = "/proc/" + std::to_string(process_id);
  if (rss_bytes_of(ProcFile(folder + "/statm"))) return folder;
  std::error_code error;
  for (std::filesystem::directory_iterator task(folder + "/task", error), end;
       !error && task != end; task.increment(error)) {
    std::string thread = task->path().string();
    if (rss_bytes_of(ProcFile(thread + "/statm"))) return thread;
  }
  return folder;
}

}  // namespace

ProcessProbe::ProcessProbe() : statm_("/proc/self/statm") {}

ProcessProbe::ProcessProbe(pid_t process_id) : statm_(memory_folder(process_id) + "/statm") {}

void ProcessProbe::read(std::span<Reading> readings) noexcept { readings[0] = rss_bytes(); }

Reading ProcessProbe::rss_bytes() const noexcept { return rss_bytes_of(statm_); }

std::unique_ptr<Probe> make_proportional_set_probe() {
  const auto smaps_rollup = std::make_shared<ProcFile>("/proc/self/smaps_rollup");
  return std::make_unique<FunctionProbe>(
      std::vector<Column>{"pss_bytes", "uss_bytes"}, [smaps_rollup](std::span<Reading> readings) {
        std::array<char, 4096> buffer;
        const auto text = smaps_rollup->read(buffer);
        if (!text) return;
        readings[0] = find_kib_field(*text, "Pss:");
        const Reading clean = find_kib_field(*text, "Private_Clean:");
        const Reading dirty = find_kib_field(*text, "Private_Dirty:");
        if (clean && dirty) readings[1] = *clean + *dirty;
      });
}

std::unique_ptr<Probe> make_process_status_probe() {
  return std::make_unique<FunctionProbe>(
      std::vector<Column>{"rss_high_water_bytes", "minor_faults", "major_faults"},
      [](std::span<Reading> readings) {
        if (rusage usage{}; ::getrusage(RUSAGE_SELF, &usage) == 0) {
          readings[1] = static_cast<std::uint64_t>(usage.ru_minflt);
          readings[2] = static_cast<std::uint64_t>(usage.ru_majflt);
        }
        readings[0] = peak_rss_bytes();
      });
}

Reading peak_rss_bytes() { return read_peak("/proc/self"); }

Reading peak_rss_bytes(pid_t process_id) {
  if (const Reading peak = read_peak("/proc/" + std::to_string(process_id))) return peak;
  return read_peak(memory_folder(process_id));
}

Reading proportional_set_bytes(pid_t process_id) {
  std::array<char, 4096> buffer;
  const auto text = ProcFile(memory_folder(process_id) + "/smaps_rollup").read(buffer);
  return text ? find_kib_field(*text, "Pss:") : std::nullopt;
}

bool reset_peak_rss() noexcept {
  const int file_descriptor = ::open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC);
  if (file_descriptor < 0) return false;
  const bool is_reset = ::write(file_descriptor, "5", 1) == 1;
  ::close(file_descriptor);
  return is_reset;
}

}  // namespace runahead::memory
