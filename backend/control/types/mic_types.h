// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "backend/mesh/route/mic_topology.h"

namespace divisi::control::inline types {

// Messages between the service mesh orchestrator and the MICs, which act through their gateways (draft 002, 4.4, 5.3).

/// Sent to a gateway: a task's units in its MIC, and the units that have dependencies with them. Sent at every change,
/// and for every task when the gateway registers. Without units, the task is over in this MIC. The progress of
/// instances follows as LoadPush.
struct MicUnits {
    mesh::mic::Part part;
};
/// Sent by a gateway at every change, not answered: a task's dependency topology in its MIC and the broken
/// dependencies. Without units, the topology was removed.
struct MicReport {
    mesh::mic::Topology topology;
    std::vector<mesh::mic::Broken> broken;
};
/// Sent by clients. Answered by MicsState.
struct QueryMics {};
struct MicView {
    MicId mic;
    std::string gateway;
    bool up = false;                 ///< false: the reports of the MIC are outdated
    std::vector<MicReport> reports;  ///< reports by task
};
struct MicsState {
    std::vector<MicView> mics;
};

/// Describes a broken dependency, for example "the dependency A > B is broken: nothing arrives within mic-1".
std::string line_of(const mesh::mic::Broken& broken);

}  // namespace divisi::control::inline types
