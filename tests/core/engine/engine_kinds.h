#pragma once

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <ostream>

#include "core/engine/engine.h"

namespace runahead::engine::test {

/// One way to configure an engine. Every engine must be indistinguishable from serial execution. A
/// new kind is added to the list below and nowhere else.
struct EngineKind {
  const char* name = "";
  int workers = 0;
  ReadyOrder ready_order = ReadyOrder::kOldestFirst;

  [[nodiscard]] EngineOptions options() const {
    return {.workers = workers, .ready_order = ready_order};
  }
};

inline constexpr std::array kEngineKinds{
    EngineKind{"Naive", 0, ReadyOrder::kOldestFirst},
    EngineKind{"OneWorkerOldestFirst", 1, ReadyOrder::kOldestFirst},
    EngineKind{"OneWorkerFirstReady", 1, ReadyOrder::kFirstReady},
    EngineKind{"TwoWorkersOldestFirst", 2, ReadyOrder::kOldestFirst},
    EngineKind{"TwoWorkersFirstReady", 2, ReadyOrder::kFirstReady},
    EngineKind{"EightWorkersOldestFirst", 8, ReadyOrder::kOldestFirst},
    EngineKind{"EightWorkersFirstReady", 8, ReadyOrder::kFirstReady},
};

inline std::ostream& operator<<(std::ostream& out, const EngineKind& kind) {
  return out << kind.name;
}

/// A suite that runs on every kind of engine.
class EachEngine : public ::testing::TestWithParam<EngineKind> {
 protected:
  std::unique_ptr<Engine> engine_ = make_engine(GetParam().options());
};

#define RUNAHEAD_RUN_ON_EACH_ENGINE(suite)                                  \
  INSTANTIATE_TEST_SUITE_P(Kinds, suite, ::testing::ValuesIn(kEngineKinds), \
                           [](const auto& kind) { return kind.param.name; })

inline Access reads(const VariablePtr& variable) { return {variable, AccessMode::kRead}; }
inline Access writes(const VariablePtr& variable) { return {variable, AccessMode::kWrite}; }
inline Access overwrites(const VariablePtr& variable) { return {variable, AccessMode::kOverwrite}; }
inline Access orders(const VariablePtr& variable) { return {variable, AccessMode::kOrder}; }

}  // namespace runahead::engine::test
