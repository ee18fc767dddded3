#include "apps/runahead/json_list.h"

namespace runahead::apps {

void print_with_list(std::ostream& out, const Json& members, const std::string& key,
                     std::size_t count, const std::function<Json(std::size_t)>& element) {
  out << "{\n";
  for (const auto& [name, value] : members.items()) {
    out << "  " << dump_json(name) << ": " << dump_json(value) << ",\n";
  }
  out << "  " << dump_json(key) << ": [";
  for (std::size_t index = 0; index < count; ++index) {
    out << (index == 0 ? "\n    " : ",\n    ") << dump_json(element(index));
  }
  out << (count == 0 ? "]\n}\n" : "\n  ]\n}\n");
}

}  // namespace runahead::apps
