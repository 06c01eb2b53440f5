// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "backend/base/result.h"
#include "backend/control/protocol/message.h"

namespace divisi::router {

/// What of a policy a device can go by. The rest is as if it had not been said, so that one entry blocks no others.
struct UsablePolicy {
    control::DevicePolicy policy;
    std::optional<Error> refused;  ///< why the first of the others is none
};
/// The orchestrator has held the entries against the same bounds; the buffer is this device's own.
UsablePolicy usable(const control::DevicePolicy& policy, Bytes buffer);

}  // namespace divisi::router
