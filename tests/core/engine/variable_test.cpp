#include "core/engine/variable.h"

#include <gtest/gtest.h>

namespace runahead::engine {
namespace {

// Asks for a reference to itself at its end.
class Ending final : public Variable {
 public:
  explicit Ending(bool& is_living) : is_living_(is_living) {}
  ~Ending() override { is_living_ = bool{VariablePtr::of_living(*this)}; }

 private:
  bool& is_living_;
};

TEST(Variable, ReferenceToALivingVariableKeepsIt) {
  bool is_living = true;
  VariablePtr first(new Ending(is_living));

  VariablePtr second = VariablePtr::of_living(*first);

  EXPECT_EQ(second, first);
  EXPECT_FALSE(first->is_unique());
  first = {};
  EXPECT_TRUE(second->is_unique());
}

TEST(Variable, NoReferenceIsGivenOnceTheLastIsGone) {
  bool is_living = true;
  { const VariablePtr last(new Ending(is_living)); }

  EXPECT_FALSE(is_living);
}

}  // namespace
}  // namespace runahead::engine
