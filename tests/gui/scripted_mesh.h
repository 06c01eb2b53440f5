// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <utility>

#include "backend/control/protocol/mesh_messages.h"
#include "tests/gui/scripted_client.h"

namespace divisi::testing {

/// The mesh of an embedded cluster, which the test can change and send again.
struct ScriptedMesh {
    ScriptedClient& cluster;
    control::MeshState state;

    explicit ScriptedMesh(ScriptedClient& told) : cluster(told) {
        add("mg-1", "mic-1");
        add("mg-2", "mic-2");
        for (const char* router : {"sr-1", "sr-2", "sr-3"}) add(router, "");
        for (const auto& [a, b] : {std::pair{1U, 3U}, {2U, 3U}, {1U, 4U}, {4U, 5U}, {2U, 5U}}) {
            state.links.push_back({a, b, 0, 0});
            at(a).neighbours.push_back({b, true, 0, 0, 8 << 20});
            at(b).neighbours.push_back({a, true, 0, 0, 8 << 20});
        }
    }
    control::DeviceView& at(std::uint32_t id) { return state.devices[id - 1]; }
    void tell() {
        for (control::DeviceView& device : state.devices)
            if (device.up) device.heard += std::chrono::milliseconds(500);
        cluster.answer(control::QueryMesh{}, state);
    }
    /// Adds a flow of the task of ScriptedClient::play() through these devices.
    void route(std::vector<std::uint32_t> path) {
        control::FlowReport flow;
        flow.task = TaskId("gpt-text-1");
        flow.source = Sid("gpt-text-1/stage-0/0");
        flow.destination = Sid("gpt-text-1/stage-1/0");
        flow.path = std::move(path);
        at(flow.path.front()).flows = {flow};
    }

private:
    void add(const char* name, const char* mic) {
        control::DeviceView device;
        device.id = static_cast<std::uint32_t>(state.devices.size() + 1);
        device.info.name = name;
        device.info.mic = MicId(mic);
        device.info.role = *mic ? mesh::DeviceRole::gateway : mesh::DeviceRole::router;
        device.info.pid = 1;
        device.info.buffer = Bytes{256} << 20;
        device.up = true;
        device.heard = TimePoint(std::chrono::seconds(1));
        state.devices.push_back(device);
    }
};
}  // namespace divisi::testing
