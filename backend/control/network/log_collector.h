// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "backend/control/core/orchestrator_context.h"
#include "backend/control/network/mesh_devices.h"

namespace divisi::control::inline network {

/// Maximum number of lines accepted from one connection in one note_interval, even if the sender's own limit is higher.
inline constexpr std::size_t lines_of_peer = 500;

/// Collects the lines that processes report and adds them to the log, which also contains the events. Records the
/// source of each line as determined by the orchestrator. Drops lines beyond the limit and reports their number.
class LogCollector {
public:
    LogCollector(OrchestratorContext& context, const MeshDevices& devices) : context_(context), devices_(devices) {}

    void handle(const Received& received, const LogLines& message);
    void peer_gone(PeerId peer) { sources_.erase(peer); }
    /// Ends intervals that are over. Called at ticks.
    void poll();

private:
    struct Source {
        TimePoint since{};  ///< start of the interval, in lived time
        std::size_t taken = 0, left_out = 0;
    };

    /// Sets the component, node, task and SID of a line from this connection.
    void sign(PeerId peer, LogLine& line) const;
    void sign(const InstanceId& instance, LogLine& line) const;
    void close(PeerId peer, const Source& source);

    OrchestratorContext& context_;
    const MeshDevices& devices_;
    std::map<PeerId, Source> sources_;
};

}  // namespace divisi::control::inline network
