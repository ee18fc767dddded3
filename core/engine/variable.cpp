#include "core/engine/variable.h"

namespace runahead::engine {

VariablePtr make_variable() { return VariablePtr(new Variable()); }

}  // namespace runahead::engine
