// SPDX-License-Identifier: Apache-2.0
// Probes the links between neighbours, alongside the traffic that a mesh port forwards.
#include "backend/frame/control_frame.h"
#include "backend/link/error_texts.h"
#include "backend/link/mesh_port.h"

namespace divisi::link {

Result<void> MeshPort::probe(mesh::RoutingId neighbour, std::uint64_t number, Duration deadline,
                             ProbeSeries::Ended ended) {
    const mesh::Exit exit{neighbour, 0};
    const auto link = links_.find(exit);
    if (link == links_.end() || !link->second->up) return make_error(error_text("no-connection-to-neighbour"), name_);
    probed_ = exit;
    // From this measurement, the relay computes the window sizes that it promises to senders.
    const auto measured = [this, neighbour, ended = std::move(ended)](Result<control::LinkFigures> result) {
        if (result)
            step(mesh::relay::Measured{neighbour, mesh::path_figures(2 * result->latency_s, result->bytes_per_s)});
        ended(std::move(result));
    };
    probe_ = std::make_unique<NeighbourProbe>(
        loop_, number, [this] { pump(probed_); }, measured);
    probe_->run(deadline);
    return {};
}

void MeshPort::end_probe() { probe_.reset(); }

/// Sends the probe's frames before waiting chunks. Links are probed while no task runs, so few chunks wait.
void MeshPort::pump_probe(const mesh::Exit& exit, Link& link) {
    while (probe_ && probed_ == exit && link.data->up() && (probe_->waits() || !link.waiting.empty())) {
        if (link.waiting.empty()) {
            if (link.impaired && !link.impaired->takes_chunk()) return;
            link.waiting = probe_->take();
            if (link.impaired) {
                link.impaired->pass(true, std::exchange(link.waiting, {}));
                continue;
            }
        }
        if (link.data->send(link.waiting) != Sent::yes) return;
        link.waiting.clear();
    }
}

void MeshPort::echo(mesh::RoutingId from, const Parts& parts) {
    const auto header = frame::decode_control_header(parts[0].bytes);
    if (!header || header->type != probe_type) return refuse("an invalid control frame", "data");
    const auto link = links_.find({from, 0});
    if (link == links_.end()) return;
    const frame::ControlHeader answer{header->correlation, echo_type, 0, 0};
    pass_lane(*link->second, {Part::of(frame::encode_control_header(answer)), Part::of(std::string())});
}

}  // namespace divisi::link
