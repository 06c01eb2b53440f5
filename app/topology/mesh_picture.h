// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <compare>
#include <optional>
#include <vector>

#include "app/client/client.h"
#include "app/topology/mesh_parts.h"
#include "app/topology/mesh_watch.h"

namespace divisi::topology {

/// An element that can be selected in the picture.
struct Element {
    enum class Kind { none, mic, node, instance, device, link };
    Kind kind = Kind::none;
    std::string name, other;  ///< `name`: name of the element, or of a link's first end; `other`: a link's second end;
                              ///< ends are ordered as by link_name()

    auto operator<=>(const Element&) const = default;
    LinkName link() const { return {name, other}; }
};

enum class Presence {
    here,
    away,  ///< the orchestrator gets no reports from the device, but the device may still forward
    gone,  ///< has left the cluster: only its place is kept
};

enum class LinkState {
    usable,
    failed,   ///< one end reports a failure of the link
    unknown,  ///< neither end has reported the link
};

struct DeviceLook {
    mesh::DeviceRole role = mesh::DeviceRole::router;
    Presence presence = Presence::gone;
    std::optional<MeshWatch::Time> heard;
    Bytes held = 0, promised = 0, buffer = 0;
    bool lit = false, idle = true;
    bool operator==(const DeviceLook&) const = default;
};

struct LaneLook {
    std::optional<double> bytes_per_s;
    std::uint64_t credit = 0, most_credit = 0, queued = 0;
    std::optional<MeshWatch::Time> heard;  ///< time at which the sender of the lane reported the figures
    bool reported = false;
    bool lit = false;
    bool operator==(const LaneLook&) const = default;
    double credit_share() const {
        return most_credit == 0 ? 0 : static_cast<double>(credit) / static_cast<double>(most_credit);
    }
};

struct LinkLook {
    LinkState state = LinkState::unknown;
    LaneLook there, back;                     ///< lanes from the first end to the second, and the reverse
    std::optional<control::LinkFault> fault;  ///< injected fault
    bool idle = true;
    bool lit() const { return there.lit || back.lit; }
    /// Returns when the older of the two ends' reports was received.
    std::optional<MeshWatch::Time> heard() const;
    bool operator==(const LinkLook&) const = default;
};

struct InstanceLook {
    std::string id;
    control::InstanceState state = control::InstanceState::placed;
    std::int32_t stage = -1;  ///< negative: the instance loads data, or is a standby (control::standby_stage)
    double busy_share = 0;
    bool lit = false;
    bool operator==(const InstanceLook&) const = default;
};

struct NodeLook {
    /// state of the node; none: the node has left, and only its place is kept
    std::optional<control::NodeState> state;
    std::vector<InstanceLook> instances;   ///< instances of the tasks that have not ended, ordered by id
    std::optional<MeshWatch::Time> heard;  ///< latest report of its instances; none: no instance reports
    QString draining = {};                 ///< progress of draining; empty: accepts instances
    bool lit = false;
    bool idle() const { return instances.empty(); }
    bool operator==(const NodeLook&) const = default;
};

struct MicLook {
    std::size_t nodes = 0, ready = 0;  ///< numbers of nodes and of ready nodes, without nodes that have left
    std::size_t left = 0;
    bool idle = true;
    bool operator==(const MicLook&) const = default;
};

/// The current look of all placed elements, without texts, colours and positions.
struct MeshPicture {
    std::map<std::string, MicLook> mics;
    std::map<std::string, NodeLook> nodes;
    std::map<std::string, DeviceLook> devices;
    std::map<LinkName, LinkLook> links;
};

/// Builds the picture. `task` is the task whose instances and paths are highlighted; empty: none. A part is idle if it
/// has no instance and no traffic, and is not on the path of a flow. A part that is away or has failed is never idle,
/// so that it is never hidden.
MeshPicture picture_of(const MeshParts& parts, const client::ClusterData& cluster, const MeshWatch& watch,
                       const TaskId& task);

}  // namespace divisi::topology
