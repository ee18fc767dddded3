#pragma once

#include <nlohmann/json.hpp>

namespace runahead {

/// JSON that keeps the order of keys: a document is written back as it was read.
using Json = nlohmann::ordered_json;

}  // namespace runahead
