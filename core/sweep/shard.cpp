#include "core/sweep/shard.h"

#include <algorithm>
#include <functional>
#include <string_view>
#include <tuple>
#include <unordered_set>
#include <utility>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/json.h"
#include "core/base/number_text.h"
#include "core/record/record_file.h"

namespace runahead::sweep {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMergedChunkBytes = std::size_t{4} << 20;

std::size_t fingerprint(const record::Record& record) {
  return std::hash<std::string>{}(dump_json(record::to_json(record)));
}

}  // namespace

Shard parse_shard(const std::string& text) {
  const std::string_view view = text;
  const std::size_t slash = std::min(view.find('/'), view.size());
  const auto index = parse_number<std::int64_t>(view.substr(0, slash));
  const auto count = parse_number<std::int64_t>(view.substr(std::min(slash + 1, view.size())));
  const bool is_valid = !text.starts_with('-') && index && count && *count >= 1 &&
                        *count <= kMaxShards && *index < *count;
  if (is_valid) return {.index = *index, .count = *count};
  throw ConfigError("--shard: found '" + text + "'; allowed: I/N with N from 1 to " +
                    std::to_string(kMaxShards) +
                    " and I from 0 to N - 1, as 0/8 for the first of eight");
}

std::map<CellJob, std::int64_t> divide(const Plan& plan, std::int64_t count) {
  std::vector<CellJob> jobs = plan.jobs;
  std::ranges::sort(jobs, [](const CellJob& left, const CellJob& right) {
    return std::tie(left.repeat, left.cell) < std::tie(right.repeat, right.cell);
  });
  std::map<CellJob, std::int64_t> shards;
  for (std::size_t place = 0; place < jobs.size(); ++place) {
    const auto position = static_cast<std::int64_t>(place);
    shards[jobs[place]] = (position + position / count) % count;
  }
  return shards;
}

Plan plan_of_shard(Plan plan, const Shard& shard) {
  const auto shards = divide(plan, shard.count);
  std::erase_if(plan.jobs, [&](const CellJob& job) { return shards.at(job) != shard.index; });
  if (shard.index != 0) plan.skipped.clear();
  return plan;
}

fs::path shard_records(const fs::path& folder, const Shard& shard) {
  return folder / "shards" /
         (std::to_string(shard.index) + "-of-" + std::to_string(shard.count) + ".jsonl");
}

void for_each_record_of(const fs::path& records, const std::vector<fs::path>& shards,
                        const std::function<void(const record::Record&, bool)>& visit) {
  std::unordered_set<std::size_t> known;
  record::for_each_record(records, [&](const record::Record& record) {
    if (!shards.empty()) known.insert(fingerprint(record));
    visit(record, false);
  });
  for (const fs::path& shard : shards) {
    record::for_each_record(shard, [&](const record::Record& record) {
      if (known.insert(fingerprint(record)).second) visit(record, true);
    });
  }
}

void merge_shards(const fs::path& folder) {
  const fs::path records = folder / "records.jsonl";
  std::string lines;
  const auto flush = [&] {
    if (!lines.empty()) append_line(records, std::exchange(lines, {}));
  };
  const std::vector<fs::path> shards = record::shard_files(folder);
  if (shards.empty()) return;
  for_each_record_of(records, shards, [&](const record::Record& record, bool is_from_shard) {
    if (!is_from_shard) return;
    lines += (lines.empty() ? "" : "\n") + dump_json(record::to_json(record));
    if (lines.size() >= kMergedChunkBytes) flush();
  });
  flush();
}

}  // namespace runahead::sweep
