// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "backend/base/result.h"

namespace divisi::control::inline protocol {

// Answers to any request.

struct Refused {
    Error error;
    std::vector<Error> others = {};  ///< all errors except the first, if several fields of a request are invalid
};
/// Returns one error for display, which lists the other errors in its `next`.
Error combined(const Refused& refused);
struct Done {};

}  // namespace divisi::control::inline protocol
