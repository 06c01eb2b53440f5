// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "backend/base/ids.h"
#include "backend/base/units.h"
#include "backend/control/types/lease_types.h"
#include "backend/control/types/machine_types.h"
#include "backend/control/types/types.h"

namespace divisi::control::inline protocol {

// Messages of node agents about the processes that they start.

/// Sent over every new connection. Answered by Done, or by Refused if the name is in use or does not belong to this
/// key.
struct RegisterNode {
    NodeInfo node;
    /// The instances on the node, including ended instances whose InstanceExited follows. The list reconciles both
    /// sides after a lost connection. The orchestrator sends StopInstance for unknown instances. Missing instances
    /// count as ended; if they never registered, they are placed again.
    std::vector<InstanceId> instances = {};
};
/// Sent at every heartbeat interval, not answered. `instances` are the live processes, `usages` their consumption so
/// far.
struct NodeReport {
    NodeId node;
    double load = 0;
    Bytes memory_free = 0;
    std::vector<InstanceId> instances;
    std::vector<InstanceUsage> usages = {};
    MachineFigures machine = {};
};
/// Sent to the node, not answered. The instance registers, or InstanceFailed and InstanceExited follow.
struct StartInstance {
    TaskId task;
    InstanceId instance;
    Sid sid;
    std::int32_t threads = 1;
    Generation generation = 1;
    /// The instance whose kept process (StopInstance::keep) runs the new instance from now on. Empty: a new process. A
    /// new process is also started if the kept process no longer exists.
    InstanceId from = {};
};
/// Sent to the node, not answered. InstanceExited follows.
struct StopInstance {
    InstanceId instance;
    /// Whether the process is kept after its task is over. A StartInstance that names the instance as `from` may
    /// follow. The process's consumption so far belongs to the old instance. A node that does not know this field ends
    /// the process.
    bool keep = false;
};
/// Sent by the node. `output` is the end of what the process wrote to standard error.
struct InstanceExited {
    InstanceId instance;
    std::int32_t code = 0;
    std::int32_t signal = 0;
    std::string output;
    Usage usage = {};  ///< usage over the instance's whole life
};
/// Sent by a node that needs disk space, with the blobs that the node could delete. Answered by NeededBlobs.
struct WhichBlobs {
    std::vector<std::string> hashes;
};
/// The blobs of a WhichBlobs request that a task or an export still needs.
struct NeededBlobs {
    std::vector<std::string> hashes;
};

}  // namespace divisi::control::inline protocol
