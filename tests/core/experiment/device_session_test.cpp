#include "core/experiment/device_session.h"

#include <gtest/gtest.h>

namespace runahead::experiment {
namespace {

TEST(DeviceSession, WhatABudgetSaysIsInTheRecord) {
  config::ExperimentConfig config;
  config.device = "cpu";
  DeviceSession session(config);
  record::Record silent;
  session.report(silent);

  session.notice_budget("each batch waits");
  record::Record record;
  session.report(record);

  EXPECT_EQ(silent.results.at("limit_notices"), Json::array());
  EXPECT_EQ(record.results.at("limit_notices"), Json::array({"each batch waits"}));
}

}  // namespace
}  // namespace runahead::experiment
