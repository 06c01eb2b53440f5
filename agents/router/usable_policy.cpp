// SPDX-License-Identifier: Apache-2.0
#include "agents/router/usable_policy.h"

#include "backend/base/units.h"
#include "backend/control/types/policy_settings.h"

namespace divisi::router {
namespace {

using control::PolicyEntry;
using control::PolicyKey;

Result<void> check(const PolicyEntry& entry, Bytes buffer) {
    const auto bad = [&](std::string what, std::string next) {
        return Error{ErrorCode::invalid_input, std::move(what), "policy '" + to_text(entry) + "'", std::move(next)};
    };
    const bool share = entry.key == PolicyKey::share || entry.key == PolicyKey::blob_share;
    if (share && (entry.value < 0 || entry.value > 100)) return bad("a share is from 0 to 100 percent", "set another");
    if (entry.key == PolicyKey::balancing && *control::balancing_name(entry.value) == 0)
        return bad("there is no such balancing rule", "set another");
    if (!control::is_within_bounds(entry)) return bad("the value is out of range", "set another");
    if (entry.key != PolicyKey::window) return {};
    if (entry.value < control::least_window || entry.value > control::most_policy_window)
        return bad("a window is from 1 MiB to 1 GiB", "set another");
    if (entry.value > buffer / control::least_windows_of_a_buffer)
        return bad("one flow would get more than a quarter of the buffer of " + format_bytes(buffer),
                   "set a smaller window, or start it with a larger --buffer-mib");
    return {};
}

}  // namespace

UsablePolicy usable(const control::DevicePolicy& policy, Bytes buffer) {
    UsablePolicy taken{{policy.version, {}}, std::nullopt};
    for (const PolicyEntry& entry : policy.entries) {
        if (const auto checked = check(entry, buffer); checked) taken.policy.entries.push_back(entry);
        else if (!taken.refused) taken.refused = checked.error();
    }
    return taken;
}

}  // namespace divisi::router
