// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "backend/control/state/event.h"

namespace divisi::control::inline protocol {

// Keys and their permissions.

/// Sent by administrators: changes a key's permission. Answered by Done.
struct ChangeKey {
    KeyChanged change;
};
/// Sent to node agents when they register and at every change: the keys that their blob stores admit, with their roles.
/// The list comes in consecutive pages. After the last page, keys that were not listed are no longer admitted.
struct AccessKeys {
    std::vector<KeyChanged> keys;
    std::uint32_t page = 0;
    bool more = false;
};

}  // namespace divisi::control::inline protocol
