// SPDX-License-Identifier: Apache-2.0
#include "backend/control/state/incarnation.h"

#include <charconv>
#include <string>

namespace divisi::control::inline state {
namespace {

constexpr char mark = '#';

}  // namespace

InstanceId instance_of(const Sid& sid, Incarnation incarnation) {
    return InstanceId(sid.value() + mark + std::to_string(incarnation));
}

Sid sid_of(const InstanceId& instance) { return Sid(instance.value().substr(0, instance.value().rfind(mark))); }

TaskId task_of(const Sid& sid) { return TaskId(sid.value().substr(0, sid.value().find('/'))); }

Incarnation incarnation_of(const InstanceId& instance) {
    const std::string& text = instance.value();
    const std::size_t at = text.rfind(mark);
    Incarnation number = 0;
    if (at == std::string::npos) return number;
    const auto [end, error] = std::from_chars(text.data() + at + 1, text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size() ? number : 0;
}

}  // namespace divisi::control::inline state
