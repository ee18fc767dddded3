#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "core/base/error.h"

/// What libFuzzer calls, and replay.cpp: each target defines it. Always returns 0.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace runahead::fuzz {

inline std::string_view input_text(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// Aborts, which is a finding, unless `holds`.
inline void require(bool holds, const std::string& broken) {
  if (holds) return;
  std::fprintf(stderr, "finding: %s\n", broken.c_str());
  std::abort();
}

/// Runs `action`: the message of the Refusal that it ended with, empty if it did not. All else that
/// it throws, a broken precondition too, is a finding.
template <typename Refusal = Error, typename Action>
std::string refusal_of(const Action& action) {
  try {
    action();
    return "";
  } catch (const UsageError&) {
    throw;
  } catch (const Refusal& refusal) {
    require(*refusal.what() != '\0', "an error says nothing");
    return refusal.what();
  }
}

}  // namespace runahead::fuzz
