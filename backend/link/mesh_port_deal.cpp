// SPDX-License-Identifier: Apache-2.0
// Lets a gateway assign the data requests of its MIC's instances to data instances; see mesh::Dealer.
#include "backend/frame/crc32c.h"
#include "backend/link/mesh_port.h"

namespace divisi::link {

void MeshPort::set_servers(mesh::DealServers servers) {
    if (dealer_) pass(dealer_->set_servers(std::move(servers)));
}

/// Passes a request for data to the dealer. A sender that uses another instance's name is refused: it would receive
/// nothing, but could cancel that instance's request.
void MeshPort::deal(const Credentials& sender, const frame::FrameHeader& header, const Parts& parts) {
    if (!plays(sender, header.source.sid))
        return refuse(sender.name + " asks under the SID of another instance", "demand for data");
    const auto payload = parts.size() == 2 ? parts[1].bytes : std::span<const std::byte>();
    if (frame::crc32c(payload) != header.payload_crc) return refuse("the payload checksum is wrong", "demand for data");
    const auto demand = frame::decode_demand(payload);
    if (!demand) return refuse(demand.error().what, "demand for data");
    const std::uint64_t unserved = dealer_->counters().unserved;
    pass(dealer_->take(header, *demand, sender));
    if (dealer_->counters().unserved > unserved)
        say_refused(header.key.task, header.destination.sid, header.source, "no data instance accepts work now");
}

/// Forwards each order to the chosen instance, as a frame of the consumer, if the consumer may send to the instance.
void MeshPort::pass(std::vector<mesh::Order> orders) {
    for (mesh::Order& order : orders) {
        if (admission_ && !admission_->admits(order.sender, order.header, loop_.now())) {
            answer_refusals();
            continue;
        }
        step(mesh::relay::Lane{mesh::RoutingId(), std::move(order.header), std::move(order.payload)});
    }
}

}  // namespace divisi::link
