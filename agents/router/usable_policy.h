// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "backend/base/result.h"
#include "backend/base/units.h"
#include "backend/control/protocol/policy_messages.h"

namespace divisi::router {

/// The entries of a policy that a device can apply. Other entries are ignored, so that one invalid entry does not block
/// the rest.
struct UsablePolicy {
    control::DevicePolicy policy;
    std::optional<Error> refused;  ///< the reason why the first ignored entry cannot be applied
};
/// Selects the usable entries. The orchestrator has already checked the same bounds, except the bound that depends on
/// this device's buffer.
UsablePolicy usable(const control::DevicePolicy& policy, Bytes buffer);

}  // namespace divisi::router
