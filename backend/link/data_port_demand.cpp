// SPDX-License-Identifier: Apache-2.0
// Requests data through the gateway of the MIC, and receives the orders that say which data this instance must send.
#include "backend/frame/crc32c.h"
#include "backend/link/data_endpoint.h"
#include "backend/link/data_port.h"
#include "backend/link/error_texts.h"

namespace divisi::link {

void DataPort::set_gateway(const std::string& endpoint, const std::string& server_key) {
    const auto [data_endpoint, lane_endpoint] = DataEndpoint::parse(endpoint);
    std::optional<Address> data;
    if (!endpoint.empty()) data = Address{data_endpoint, server_key};
    const std::optional<Address> before = std::exchange(gateway_, data);
    if (before == data) return;
    if (const auto old = before ? routes_.find(*before) : routes_.end(); old != routes_.end())
        if (old->second->peers.empty()) routes_.erase(old);
    if (!data) return;
    Route& route = open_route(*data, {lane_endpoint, server_key});
    if (route.names.empty()) route.names = "the gateway";
    if (route.lane->up()) say_demand();
}

void DataPort::ask(const Sid& prefix, std::uint64_t task, Generation generation, std::vector<frame::DataPlace> places,
                   std::uint64_t microbatch_bytes) {
    const std::uint64_t id = frame::flow_id(prefix);
    names_[id] = prefix;
    asking_ = {};
    asking_.key.task = task;
    asking_.key.generation = generation;
    asking_.key.kind = frame::FrameKind::demand;
    asking_.source = self_;
    asking_.destination = {id, 0};
    demand_.places = std::move(places);
    demand_.microbatch_bytes = microbatch_bytes;
    say_demand();
}

void DataPort::say_demand() {
    const auto route = gateway_ ? routes_.find(*gateway_) : routes_.end();
    if (asking_.key.task == 0 || route == routes_.end() || !route->second->lane->up()) return;
    ++demand_.sequence;
    const std::string payload = frame::encode_demand(demand_);
    asking_.total_bytes = payload.size();
    asking_.payload_bytes = static_cast<std::uint32_t>(payload.size());
    asking_.payload_crc = frame::crc32c(std::as_bytes(std::span(payload)));
    route->second->lane->send({Part::of(frame::encode_header(asking_).value()), Part::of(payload)});
}

void DataPort::demanded(const frame::FrameHeader& header, std::span<const std::byte> payload) {
    const auto refuse = [&](const Error& error) {
        ++foreign_;
        trouble(error);
    };
    if (header.destination.sid != self_.sid || header.source.incarnation == 0)
        return refuse(make_error(error_text("demand-for-another"), "demand for data"));
    if (frame::crc32c(payload) != header.payload_crc)
        return refuse(make_error(error_text("demand-checksum-wrong"), "demand for data"));
    const auto demand = frame::decode_demand(payload);
    if (!demand) return refuse(demand.error());
    if (events_.demand) events_.demand(header, *demand);
}

}  // namespace divisi::link
