// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "backend/base/ids.h"
#include "backend/mesh/base/device.h"

namespace divisi::mesh::inline base {

/// Root of the SIDs that transfer files between nodes. It is not a task's id, because task ids end with a number.
inline constexpr const char* blob_root = "blobs";
/// Returns the only class that the SIDs of a task may send. A sender of blobs can therefore not pose as a task, nor a
/// task as a sender of blobs.
inline FlowClass class_of(const TaskId& task) {
    return task.value() == blob_root ? FlowClass::blob : FlowClass::tensor;
}

/// The gateway behind which a SID is played, and the device that it runs on.
struct Place {
    TaskId task;
    Sid sid;
    RoutingId gateway;
    std::string device = {};  ///< that it computes on: "cpu", "cuda:0"; empty: not known
    double flops_per_s = 0;   ///< measured speed of that device; 0: not measured
    bool operator==(const Place&) const = default;
};

}  // namespace divisi::mesh::inline base
