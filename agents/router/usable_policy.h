// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "backend/base/result.h"
#include "backend/control/protocol/message.h"

namespace divisi::router {

/// The entries of a policy that a device can apply. Other entries are ignored, so that one bad entry blocks none of the
/// rest.
struct UsablePolicy {
    control::DevicePolicy policy;
    std::optional<Error> refused;  ///< why the first ignored entry cannot be applied
};
/// Selects the usable entries. The orchestrator has already checked the same bounds, except that of this device's
/// buffer.
UsablePolicy usable(const control::DevicePolicy& policy, Bytes buffer);

}  // namespace divisi::router
