// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/control/core/orchestrator_context.h"
#include "backend/control/network/mesh_devices.h"
#include "backend/control/queue/models.h"
#include "backend/control/runs/leases.h"

namespace divisi::control::inline runs {

/// Builds the messages that tell an instance its role: what it runs, where its peers are, and when it begins. Has no
/// state of its own.
class InstanceMessages {
public:
    InstanceMessages(OrchestratorContext& context, const Models& models, const MeshDevices& devices,
                     const Leases& leases)
        : context_(context), models_(models), devices_(devices), leases_(leases) {}

    Deploy deploy(const InstanceView& instance) const;
    /// Returns the addresses at which an instance reaches its peers: directly within its MIC, otherwise through the
    /// gateway of its own MIC.
    ///
    /// If no gateway is known now, an instance that has begun keeps the old addresses of peers in other MICs. Otherwise
    /// tensors would bypass a gateway that ends and returns.
    Peers peers(const TaskView& task, const InstanceView& of, bool begun) const;
    Begin begin(const TaskView& task) const;

    /// Tells all instances of a task where their peers are. `begun`: as for peers().
    void tell_peers(const TaskId& task, bool begun);
    /// Warns if the task has data instances and one of its MICs has no gateway: only gateways deal micro-batches.
    void warn_missing_gateways(const TaskId& task);

private:
    MicId mic_of(const NodeId& node) const;

    OrchestratorContext& context_;
    const Models& models_;
    const MeshDevices& devices_;
    const Leases& leases_;
};

}  // namespace divisi::control::inline runs
