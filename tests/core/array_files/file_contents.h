#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "core/array_files/array_file.h"
#include "core/base/error.h"
#include "support/error_message.h"

/// Contents of files, made byte by byte, and what is read from them.
namespace runahead::array_files::test {

using runahead::test::error_message;

/// The lowest `count` bytes of `value`, the most significant first.
inline std::string big(std::uint64_t value, int count) {
  std::string bytes;
  for (int shift = 8 * count; shift > 0;) bytes += static_cast<char>(value >> (shift -= 8));
  return bytes;
}

inline std::string little(std::uint64_t value, int count) {
  const std::string bytes = big(value, count);
  return {bytes.rbegin(), bytes.rend()};
}

/// Bytes by their values.
inline std::string raw(std::initializer_list<int> values) {
  std::string bytes;
  for (const int value : values) bytes += static_cast<char>(value);
  return bytes;
}

/// A .npy file with this dictionary and these elements.
inline std::string npy(std::string_view dictionary, std::string_view elements, int version = 1) {
  const std::string header = std::string(dictionary) + "\n";
  return "\x93NUMPY" + raw({version, 0}) + little(header.size(), version == 1 ? 2 : 4) + header +
         std::string(elements);
}

/// The dictionary as numpy writes it.
inline std::string dictionary(std::string_view descr, std::string_view shape,
                              bool fortran_order = false) {
  return "{'descr': '" + std::string(descr) +
         "', 'fortran_order': " + (fortran_order ? "True" : "False") +
         ", 'shape': " + std::string(shape) + ", }";
}

inline std::string idx(int type, std::initializer_list<std::uint64_t> sizes,
                       std::string_view elements) {
  std::string content = raw({0, 0, type, static_cast<int>(sizes.size())});
  for (const std::uint64_t size : sizes) content += big(size, 4);
  return content + std::string(elements);
}

inline Array read_content(const std::string& content, const std::string& name = "") {
  return read_array(std::as_bytes(std::span(content)), "file", name);
}

/// The message of the ConfigError that reading this ends with.
inline std::string refusal(const std::string& content, const std::string& name = "") {
  return error_message<ConfigError>([&] { static_cast<void>(read_content(content, name)); });
}

template <typename Element>
std::vector<Element> elements_of(const Array& array) {
  std::vector<Element> elements(array.bytes() / sizeof(Element));
  if (!elements.empty()) std::memcpy(elements.data(), array.data.get(), array.bytes());
  return elements;
}

}  // namespace runahead::array_files::test
