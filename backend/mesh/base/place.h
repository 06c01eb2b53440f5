// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "backend/base/ids.h"
#include "backend/mesh/base/device.h"

namespace divisi::mesh::inline base {

/// Root of the SIDs that transfer files between nodes. No task has this id: task ids end with a number.
inline constexpr const char* blob_root = "blobs";
/// Returns the only class that the SIDs of a task may send. A sender of blobs can therefore not pretend to be a task,
/// nor a task to be a sender of blobs.
inline FlowClass class_of(const TaskId& task) {
    return task.value() == blob_root ? FlowClass::blob : FlowClass::tensor;
}

/// The gateway of a SID, and the device on which the SID runs.
struct Place {
    TaskId task;
    Sid sid;
    RoutingId gateway;
    std::string device = {};  ///< device on which it computes: "cpu", "cuda:0"; empty: not known
    double flops_per_s = 0;   ///< speed of that device in the cluster file; 0: not stated
    bool operator==(const Place&) const = default;
};

}  // namespace divisi::mesh::inline base
