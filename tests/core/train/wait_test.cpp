// What each wait does, seen by a back end that counts what is asked of it.
#include "core/train/wait.h"

#include <gtest/gtest.h>

#include <sstream>

#include "support/fake_back_end.h"

namespace runahead::train {
namespace wait_test {

struct WaitCase {
  WaitKind kind{};
  int waits_until_computed = 0;
  int synchronizations = 0;
  const char* printed = "";
};

TEST(Wait, AsksTheBackEndForWhatItsKindSaysAndNothingElse) {
  for (const WaitCase& wanted :
       {WaitCase{WaitKind::kLossValue}, WaitCase{WaitKind::kLossReady, 1},
        WaitCase{WaitKind::kHostCopy}, WaitCase{WaitKind::kPrint, 0, 0, "loss 0.25\n"},
        WaitCase{WaitKind::kSave}, WaitCase{WaitKind::kAll, 0, 1}}) {
    SCOPED_TRACE(name_of(wanted.kind));
    test::FakeBackEnd back_end;
    std::ostringstream sink;
    const torch::Tensor loss = torch::tensor(0.25);

    make_policy_context(back_end, sink).make_wait(wanted.kind)({.loss = &loss});

    EXPECT_EQ(back_end.waits_until_computed, wanted.waits_until_computed);
    EXPECT_EQ(back_end.synchronizations, wanted.synchronizations);
    EXPECT_EQ(sink.str(), wanted.printed);
  }
}

}  // namespace wait_test
}  // namespace runahead::train
