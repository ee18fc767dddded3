#pragma once

#include <cstddef>
#include <map>
#include <type_traits>
#include <vector>

namespace runahead {

/// Groups the items that share a key; groups are in the order in which their keys first occur.
template <typename Item, typename KeyOf>
[[nodiscard]] std::vector<std::vector<Item>> grouped(const std::vector<Item>& items,
                                                     const KeyOf& key_of) {
  std::vector<std::vector<Item>> groups;
  std::map<std::decay_t<std::invoke_result_t<KeyOf, const Item&>>, std::size_t> place_of;
  for (const Item& item : items) {
    const auto [place, is_new] = place_of.emplace(key_of(item), groups.size());
    if (is_new) groups.emplace_back();
    groups[place->second].push_back(item);
  }
  return groups;
}

}  // namespace runahead
