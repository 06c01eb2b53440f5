// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "backend/control/protocol/message.h"
#include "backend/mesh/route/mic_topology.h"

namespace divisi::router {

/// What the orchestrator says of the units in the gateway's MIC, given to who watches them. False for other messages.
bool take_of_mic(const control::Message& message, mesh::mic::Dependencies& dependencies, TimePoint now);
/// What there is to tell the orchestrator since the last call.
std::vector<control::MicReport> news_of_mic(mesh::mic::Dependencies& dependencies, TimePoint now);

}  // namespace divisi::router
