// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "backend/mesh/base/service_path.h"
#include "backend/mesh/registry/registry.h"

namespace divisi::tests {

inline constexpr mesh::Epoch epoch = 77;
inline constexpr TimePoint start{std::chrono::hours(1)};

/// Returns an active instance whose prefix is its unit.
inline mesh::Registration instance(const std::string& sid, Incarnation incarnation = 1) {
    mesh::Registration said;
    said.sid = Sid(sid);
    said.prefix = mesh::parent(sid);
    said.task = TaskId(std::string(mesh::first_component(sid)));
    said.incarnation = incarnation;
    said.resource_type = "gpu";
    said.capability = {1e12, 1 << 30, "cuda:0"};
    said.address = {"tcp://10.0.0.1:7400", "key"};
    said.mic = MicId("mic-1");
    said.node = NodeId("mic-1/node-1");
    said.health = mesh::Health::active;
    said.generation = 1;
    return said;
}

inline mesh::DeviceRegistration router(const std::string& name, Incarnation incarnation = 1) {
    mesh::DeviceRegistration said;
    said.name = name;
    said.incarnation = incarnation;
    said.role = mesh::DeviceRole::router;
    said.addresses = {{"tcp://10.0.0.2:7500", "key"}};
    said.links = {{"router-2", std::chrono::milliseconds(1), 1e9}};
    said.buffer = 64 << 20;
    said.version = "1.0";
    return said;
}

}  // namespace divisi::tests
