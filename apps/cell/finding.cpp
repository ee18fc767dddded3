#include "apps/cell/finding.h"

#include <array>
#include <cstdint>
#include <cstdio>
#include <optional>

#include "core/base/bytes.h"
#include "core/base/json.h"

namespace runahead::cell {
namespace {

/// Three significant digits, as scripts/report/units.py writes them: "0.262", "2.10", "204".
std::string three_digits(double value) {
  const int decimals = value >= 99.95 ? 0 : value >= 9.995 ? 1 : value >= 0.9995 ? 2 : 3;
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.*f", decimals, value);
  return text.data();
}

/// With a comma between thousands.
std::string count_text(std::uint64_t count) {
  const std::string digits = std::to_string(count);
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

/// How a run waits, to start a sentence with.
std::string phrase(const record::Record& record) {
  const Json sync = record.config.value("sync", Json::object());
  const auto policy = sync.value("policy", std::string());
  const auto number = [&sync](const char* key) {
    return std::to_string(sync.value(key, std::int64_t{0}));
  };
  if (policy == "none") return "Without a wait";
  if (policy == "every_batch") return "With a wait after every batch";
  if (policy == "every_n") return "With a wait every " + number("n") + " batches";
  if (policy == "window") return "With a window of " + number("batches") + " batches";
  if (policy == "adaptive") return "With the adaptive policy";
  if (policy == "budget") {
    return "With “budget of " + format_bytes(sync.value("bytes", std::uint64_t{0})) + "”";
  }
  return "With “" + policy + "”";
}

}  // namespace

std::string finding(const record::Record& record) {
  const std::optional<std::uint64_t> batches = record.backlog.batches_peak;
  if (!batches) return {};
  std::string text = phrase(record);
  if (record.time.issue_seconds) {
    text +=
        " the front end finished issuing after " + three_digits(*record.time.issue_seconds) + " s";
  }
  text += "; " + count_text(*batches) + (*batches == 1 ? " batch was" : " batches were");
  text += " in flight";
  if (record.memory.held_peak_bytes.value_or(0) > 0) {
    text += std::string(*batches == 1 ? "; its" : "; their") + " inputs held " +
            format_bytes(*record.memory.held_peak_bytes);
  }
  if (record.status != record::Status::kOk) {
    text += "; it ended as " + std::string(record::name_of(record.status));
  }
  return text + ".";
}

}  // namespace runahead::cell
