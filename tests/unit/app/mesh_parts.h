// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/topology/mesh_parts.h"

namespace divisi::testing {

inline std::string numbered(const char* prefix, int number) { return prefix + std::to_string(number); }

/// Returns `mics` MICs with `nodes` nodes each. Their gateways are linked to a random connected mesh of `routers`
/// routers.
inline topology::MeshParts random_mesh(int mics, int nodes, int routers, unsigned seed) {
    topology::MeshParts parts;
    const auto draw = [&seed](int below) {
        seed = seed * 1664525U + 1013904223U;
        return static_cast<int>((seed >> 8) % static_cast<unsigned>(below));
    };
    for (int i = 1; i <= routers; ++i) {
        parts.routers.insert(numbered("sr-", i));
        for (int k = 0; k < 2 && i > 1; ++k)
            parts.links.insert(topology::link_name(numbered("sr-", i), numbered("sr-", 1 + draw(i - 1))));
    }
    for (int i = 1; i <= mics; ++i) {
        topology::MeshParts::Mic& mic = parts.mics[numbered("mic-", i)];
        mic.gateway = numbered("mg-", i);
        for (int k = 1; k <= nodes; ++k) mic.nodes.insert(numbered("mic-", i) + numbered("/node-", k));
        for (int k = 0; k < 2 && routers > 0; ++k)
            parts.links.insert(topology::link_name(mic.gateway, numbered("sr-", 1 + draw(routers))));
    }
    return parts;
}

/// Returns the mesh of an embedded cluster: two paths between two MICs.
inline topology::MeshParts embedded_mesh() {
    topology::MeshParts parts;
    for (const char* mic : {"mic-1", "mic-2"})
        for (const char* node : {"/node-1", "/node-2"}) parts.mics[mic].nodes.insert(std::string(mic) + node);
    parts.mics["mic-1"].gateway = "mg-1";
    parts.mics["mic-2"].gateway = "mg-2";
    parts.routers = {"sr-1", "sr-2", "sr-3"};
    parts.links = {{"mg-1", "sr-1"}, {"mg-2", "sr-1"}, {"mg-1", "sr-2"}, {"sr-2", "sr-3"}, {"mg-2", "sr-3"}};
    return parts;
}

}  // namespace divisi::testing
