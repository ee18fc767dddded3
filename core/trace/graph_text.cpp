#include "core/trace/graph_text.h"

#include <array>
#include <string_view>

#include "core/base/enum_names.h"
#include "core/base/text.h"

namespace runahead::trace {
namespace {

bool is_of_order_only(const Dependency& dependency) {
  return dependency.hazard != Hazard::kReadAfterWrite;
}

std::string_view name_of(Hazard hazard) {
  // In the order of the enum.
  constexpr std::array<std::string_view, 3> kNames{"read after write", "write after read",
                                                   "write after write"};
  return name_at(kNames, hazard);
}

std::string title_of(const DependencyGraph& graph, std::size_t index) {
  return std::to_string(index + 1) + " " + graph.operations[index].name;
}

/// Escapes characters that would end a quoted string in DOT.
std::string dot_quoted(std::string_view text) {
  return with_replacements(text, {{'"', "\\\""}, {'\\', "\\\\"}});
}

}  // namespace

std::string graph_text(const DependencyGraph& graph) {
  std::string text;
  auto dependency = graph.dependencies.begin();
  for (std::size_t index = 0; index < graph.operations.size(); ++index) {
    text += title_of(graph, index) + "(" + graph.operations[index].operands + ")";
    std::string_view separator = " after ";
    for (; dependency != graph.dependencies.end() && dependency->after == index; ++dependency) {
      text += std::string(separator) + std::to_string(dependency->before + 1);
      if (is_of_order_only(*dependency)) {
        text += " (" + std::string(name_of(dependency->hazard)) + ")";
      }
      separator = ", ";
    }
    text += '\n';
  }
  return text;
}

std::string graph_dot(const DependencyGraph& graph) {
  std::string text = "digraph operations {\n  node [shape=box];\n";
  for (std::size_t index = 0; index < graph.operations.size(); ++index) {
    text += "  n" + std::to_string(index + 1) + " [label=\"" + dot_quoted(title_of(graph, index)) +
            "\\n" + dot_quoted(graph.operations[index].operands) + "\"];\n";
  }
  for (const Dependency& dependency : graph.dependencies) {
    text += "  n" + std::to_string(dependency.before + 1) + " -> n" +
            std::to_string(dependency.after + 1);
    if (is_of_order_only(dependency)) {
      text += " [style=dashed, label=\"" + std::string(name_of(dependency.hazard)) + "\"]";
    }
    text += ";\n";
  }
  return text + "}\n";
}

}  // namespace runahead::trace
