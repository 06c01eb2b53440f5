// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/base/ids.h"
#include "backend/mesh/device.h"

namespace divisi::mesh {

/// Behind which gateway a SID is played.
struct Place {
    TaskId task;
    Sid sid;
    RoutingId gateway;
    bool operator==(const Place&) const = default;
};

}  // namespace divisi::mesh
