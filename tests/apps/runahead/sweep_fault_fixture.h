#pragma once

#include <fstream>
#include <map>
#include <string>

#include "program_fixture.h"

namespace runahead::test {

/// The records that a sweep left, as readers of its file see them.
class SweepFaultTest : public ProgramTest {
 protected:
  using RecordOfRun = std::multimap<std::string, Json>;  ///< By id and repeat.

  /// What a folder's records say of the runs that ended ok, without what no two runs have in
  /// common.
  static RecordOfRun accepted_records(const std::filesystem::path& folder) {
    RecordOfRun records;
    for (Json& record : records_of(folder)) {
      if (record["status"] != "ok") continue;
      for (const char* key : {"cell", "command", "ended_at"}) record.erase(key);
      records.emplace(record["id"].get<std::string>() + "-" + record["repeat"].dump(), record);
    }
    return records;
  }

  /// Lines that are cut short are no records.
  static std::vector<Json> records_of(const std::filesystem::path& folder) {
    std::vector<Json> records;
    std::ifstream file(folder / "records.jsonl");
    for (std::string line; std::getline(file, line);) {
      if (Json::accept(line)) records.push_back(Json::parse(line));
    }
    return records;
  }

  /// The accepted records of a sweep that nothing disturbed.
  RecordOfRun undisturbed_records(const std::string& config) {
    const std::filesystem::path folder = this->folder() / "undisturbed";
    EXPECT_EQ(runahead({"sweep", config, "--out", folder.string()}).exit_code, 0);
    return accepted_records(folder);
  }
};

}  // namespace runahead::test
