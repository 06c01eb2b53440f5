// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "backend/control/protocol/message_fwd.h"
#include "backend/mesh/route/mic_topology.h"

namespace divisi::router {

/// Passes a message of the orchestrator about units in the gateway's MIC to `dependencies`. Returns false if the
/// message is of another kind.
bool take_of_mic(const control::Message& message, mesh::mic::Dependencies& dependencies, TimePoint now);
/// Returns the reports for the orchestrator since the last call.
std::vector<control::MicReport> news_of_mic(mesh::mic::Dependencies& dependencies, TimePoint now);

}  // namespace divisi::router
