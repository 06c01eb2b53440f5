// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <new>
#include <string>

#include "backend/base/result.h"

namespace divisi::instance {

/// Runs `work`, which returns a Result. What it throws becomes that Result's error: a thread must not end its
/// process because LibTorch threw a c10::Error or the memory was used up. `where` names what was being done.
template <typename Work>
auto guard(const std::string& where, Work work) -> decltype(work()) {
    try {
        return work();
    } catch (const std::bad_alloc&) {
        return Error{ErrorCode::exhausted, "the memory is used up", where,
                     "use smaller micro-batches or more stages, or place the stage on a node with more memory"};
    } catch (const std::exception& exception) {
        // A c10::Error's text goes on with a backtrace, line by line.
        const std::string text = exception.what();
        return Error{ErrorCode::failed, text.substr(0, text.find('\n')), where,
                     "see the instance's log on its node, and report it if it repeats"};
    } catch (...) {
        return Error{ErrorCode::failed, "something that is no exception was thrown", where, "report it"};
    }
}

}  // namespace divisi::instance
