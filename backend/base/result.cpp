// SPDX-License-Identifier: Apache-2.0
#include "backend/base/result.h"

#include "backend/base/text.h"

namespace divisi {

const char* to_string(ErrorCode code) {
    switch (code) {
        case ErrorCode::invalid_input: return "invalid input";
        case ErrorCode::unsupported: return "unsupported";
        case ErrorCode::not_found: return "not found";
        case ErrorCode::denied: return "denied";
        case ErrorCode::unavailable: return "unavailable";
        case ErrorCode::deadline: return "deadline";
        case ErrorCode::exhausted: return "exhausted";
        case ErrorCode::conflict: return "conflict";
        case ErrorCode::corrupt: return "corrupt";
        case ErrorCode::failed: return "failed";
    }
    return "failed";
}

std::string Error::message() const {
    std::string text;
    if (!where.empty()) text += where + ": ";
    text += what;
    if (!next.empty()) text += "; " + next;
    return legible(text);
}

}  // namespace divisi
