#include "core/train/choice_series.h"

#include <gtest/gtest.h>

namespace runahead::train {
namespace {

TEST(ChoiceSeries, TellsFromWhichBatchOnAChoiceHeld) {
  ChoiceSeries series;
  series.note(2);
  series.end_batch();
  series.end_batch();
  series.note(5);

  const std::vector<Choice> choices = series.choices();
  ASSERT_EQ(choices.size(), 2U);
  EXPECT_EQ(choices[0].batch, 0U);
  EXPECT_EQ(choices[0].most_in_flight, 2U);
  EXPECT_EQ(choices[1].batch, 2U);
  EXPECT_EQ(choices[1].most_in_flight, 5U);
}

TEST(ChoiceSeries, CountsFromZeroWhenItBeginsAnew) {
  ChoiceSeries series;
  series.end_batch();
  series.note(2);

  series.restart();

  EXPECT_TRUE(series.choices().empty());
  series.note(3);
  EXPECT_EQ(series.choices().front().batch, 0U);
}

TEST(ChoiceSeries, KeepsTheLatestOnly) {
  ChoiceSeries series;
  for (std::size_t i = 0; i <= ChoiceSeries::kMostChoices; ++i) series.note(i);

  EXPECT_EQ(series.choices().size(), ChoiceSeries::kMostChoices);
  EXPECT_EQ(series.choices().front().most_in_flight, 1U);
}

}  // namespace
}  // namespace runahead::train
