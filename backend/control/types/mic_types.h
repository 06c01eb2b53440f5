// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "backend/mesh/route/mic_topology.h"

namespace divisi::control::inline types {

// What the service mesh orchestrator and the MICs, which act in their gateways, tell each other (draft 002, 4.4, 5.3).

/// To a gateway: a task's units in its MIC, and those that they have dependencies with. At every change, and for every
/// task when it registers; without units the task is over there. How far instances are follows as LoadPush.
struct MicUnits {
    mesh::mic::Part part;
};
/// From a gateway, at every change, not answered: a task's dependency topology in its MIC, and what of it is broken.
/// Without units it was removed.
struct MicReport {
    mesh::mic::Topology topology;
    std::vector<mesh::mic::Broken> broken;
};
/// From clients. Answered by MicsState.
struct QueryMics {};
struct MicView {
    MicId mic;
    std::string gateway;
    bool up = false;                 ///< otherwise its reports are of before
    std::vector<MicReport> reports;  ///< by task
};
struct MicsState {
    std::vector<MicView> mics;
};

}  // namespace divisi::control::inline types
