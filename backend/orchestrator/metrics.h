// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "backend/base/clock.h"
#include "backend/control/mesh_types.h"
#include "backend/control/mic_types.h"
#include "backend/control/state.h"
#include "backend/link/handshakes.h"

namespace divisi::orchestrator {

/// What divisid tells of itself, as Prometheus reads it: names `divisi_*`, in base units.
class Metrics {
public:
    explicit Metrics(const std::string& version);
    ~Metrics();

    /// A round of the event loop took so long, its waiting not counted: nobody was answered meanwhile.
    void round(Duration busy);
    /// So many events were made durable.
    void logged(std::size_t events);
    /// So many messages were denied since the orchestrator began.
    void denied(std::uint64_t messages);
    /// Counts tasks and nodes.
    void look_at(const control::ClusterState& state);
    void look_at(const control::DeviceView& device);
    void look_at(const control::MicView& mic);
    /// What a node reports of its machine.
    void look_at(const NodeId& node, const control::MachineFigures& machine);
    void look_at(const link::FailedHandshakes& counted);

    /// The text format, version 0.0.4. Any thread.
    std::string text() const;

private:
    struct Families;
    std::unique_ptr<Families> families_;
};

}  // namespace divisi::orchestrator
