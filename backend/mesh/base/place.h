// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "backend/base/ids.h"
#include "backend/mesh/base/device.h"

namespace divisi::mesh::inline base {

/// The files that nodes bring each other are no task's: their ends' SIDs lie below this, which is no task's id, since
/// those end with a number.
inline constexpr const char* blob_root = "blobs";
/// What the SIDs of a task send, and nothing else: who brings blobs cannot pass for a task, nor a task for a blob.
inline FlowClass class_of(const TaskId& task) {
    return task.value() == blob_root ? FlowClass::blob : FlowClass::tensor;
}

/// Behind which gateway a SID is played.
struct Place {
    TaskId task;
    Sid sid;
    RoutingId gateway;
    std::string device = {};  ///< that it computes on: "cpu", "cuda:0"; empty: not known
    double flops_per_s = 0;   ///< of that device, as measured; 0: it is not
    bool operator==(const Place&) const = default;
};

}  // namespace divisi::mesh::inline base
