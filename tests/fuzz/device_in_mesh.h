// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <string>

#include "backend/mesh/forwarding/relay.h"
#include "backend/mesh/route/hops.h"

namespace divisi::mesh {

/// One gateway or router of a mesh of two MICs, with the paths 1 - 3 - 2 and 1 - 4 - 2 and the flow of a task through
/// it. Its neighbours may send anything. Ends the program if the device holds more than its limits allow.
class DeviceInMesh {
public:
    static constexpr std::uint64_t buffer = 16u << 20;
    static inline const std::string source = "t/stage-0/0", last = "t/stage-1/0";

    explicit DeviceInMesh(std::uint16_t id) : relay_(config(id)) {
        std::vector<Device> devices;
        for (const std::uint16_t one : {1, 2, 3, 4})
            devices.push_back({RoutingId(one),
                               "d-" + std::to_string(one),
                               role(one),
                               MicId(one < 3 ? "m-" + std::to_string(one) : std::string()),
                               "mem://d",
                               {},
                               true,
                               0});
        std::vector<Link> links;
        for (const std::uint16_t gateway : {1, 2})
            for (const std::uint16_t router : {3, 4})
                links.push_back({RoutingId(gateway), RoutingId(router), 1e-4, 1e9, 0, true});
        Topology topology;
        if (!topology.set(devices, links)) std::abort();
        std::map<std::uint64_t, Place> places;
        for (const auto& [sid, gateway] : {std::pair(source, 1), std::pair(last, 2)})
            places[frame::flow_id(Sid(sid))] = {TaskId("t"), Sid(sid), RoutingId(static_cast<std::uint16_t>(gateway))};
        step(relay::Table{topology, places});
        for (const RoutingId one : topology.neighbours(RoutingId(id))) {
            neighbours_.push_back(one);
            step(relay::Up{one});
        }
    }

    const std::vector<RoutingId>& neighbours() const { return neighbours_; }
    void pass(Duration time) { now_ += time; }
    void step(relay::Event event) {
        if (const auto* data = get_if<relay::Data>(&event)) {
            given_ += data->chunk.payload.size();
            ++told_;
        }
        if (holds_alternative<relay::Signal>(event)) ++told_;
        const relay::Actions actions = relay_.step(std::move(event), now_);
        const std::set<Exit> exits(actions.ready.begin(), actions.ready.end());
        for (const Exit& exit : exits)
            for (int i = 0; i < 4 && relay_.step(relay::Room{exit}, now_).chunk; ++i) continue;
        hold("promises fit the buffer", relay_.promised() <= buffer);
        hold("no more bytes are held than arrived", relay_.held() <= given_);
        hold("a message opens at most one flow", relay_.flows().size() <= told_);
        hold("a message causes few answers", actions.signals.size() <= 8 + 4 * relay_.flows().size());
    }

private:
    static DeviceRole role(std::uint16_t id) { return id < 3 ? DeviceRole::gateway : DeviceRole::router; }
    static RelayConfig config(std::uint16_t id) {
        RelayConfig config;
        config.self = RoutingId(id);
        config.role = role(id);
        config.buffer = buffer;
        config.window = 2u << 20;
        return config;
    }
    static void hold(const char* what, bool holds) {
        if (holds) return;
        std::fprintf(stderr, "violated: %s\n", what);
        std::abort();
    }

    Relay relay_;
    std::vector<RoutingId> neighbours_;
    std::uint64_t given_ = 0, told_ = 0;
    TimePoint now_{std::chrono::hours(1)};
};

}  // namespace divisi::mesh
