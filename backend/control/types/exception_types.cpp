// SPDX-License-Identifier: Apache-2.0
#include "backend/control/types/exception_types.h"

namespace divisi::control::inline types {

std::string where_text(const ExceptionEntry& entry) {
    std::string text;
    const auto add = [&](const char* what, const std::string& value) {
        if (!value.empty()) text += (text.empty() ? "" : ", ") + std::string(what) + value;
    };
    add("node ", entry.node.value());
    add("instance ", entry.instance.value());
    add("in ", entry.operation);
    add("after step ", entry.step > 0 ? std::to_string(entry.step) : "");
    return text;
}

std::string recovered_text(const ExceptionEntry& entry) {
    if (entry.recovered == 0) return "not recovered";
    return "recovered " + (entry.recovered == 1 ? "once" : std::to_string(entry.recovered) + " times");
}

}  // namespace divisi::control::inline types
