#pragma once

#include <gtest/gtest.h>

#include <string>

namespace runahead::test {

/// The message of the `ErrorType` that `action` throws; fails the test and is empty if it throws
/// none.
template <typename ErrorType, typename Action>
std::string error_message(const Action& action) {
  try {
    action();
  } catch (const ErrorType& error) {
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return "";
}

}  // namespace runahead::test
