// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <new>
#include <string>

#include "backend/base/result.h"

namespace divisi::instance {

/// Runs `work`, which returns a Result, and converts an exception to that Result's error. A c10::Error of LibTorch or a
/// failed allocation must not end the process. `where` names the operation.
template <typename Work>
auto guard(const std::string& where, Work work) -> decltype(work()) {
    try {
        return work();
    } catch (const std::bad_alloc&) {
        return Error{ErrorCode::exhausted, "out of memory", where,
                     "use smaller micro-batches or more stages, or place the stage on a node with more memory"};
    } catch (const std::exception& exception) {
        // Keep only the first line: a c10::Error's text continues with a backtrace.
        const std::string text = exception.what();
        return Error{ErrorCode::failed, text.substr(0, text.find('\n')), where,
                     "see the instance's log on its node, and report it if it repeats"};
    } catch (...) {
        return Error{ErrorCode::failed, "a value that is not an exception was thrown", where, "report it"};
    }
}

}  // namespace divisi::instance
