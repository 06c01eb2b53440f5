// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <compare>
#include <optional>
#include <vector>

#include "app/client/client.h"
#include "app/topology/mesh_parts.h"
#include "app/topology/mesh_watch.h"

namespace divisi::topology {

/// What can be chosen in the picture.
struct Element {
    enum class Kind { none, mic, node, instance, device, link };
    Kind kind = Kind::none;
    std::string name, other;  ///< `other`: of a link, whose ends are in the order of link_name()

    auto operator<=>(const Element&) const = default;
    LinkName link() const { return {name, other}; }
};

enum class Presence {
    here,
    away,  ///< the orchestrator does not hear it; it may forward all the same
    gone,  ///< it has left the cluster: only its place is kept
};

enum class LinkState {
    usable,
    failed,   ///< one of its ends says so
    unknown,  ///< neither end has reported it
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
    std::optional<MeshWatch::Time> heard;  ///< when its sender reported this
    bool reported = false;
    bool lit = false;
    bool operator==(const LaneLook&) const = default;
    double credit_share() const {
        return most_credit == 0 ? 0 : static_cast<double>(credit) / static_cast<double>(most_credit);
    }
};

struct LinkLook {
    LinkState state = LinkState::unknown;
    LaneLook there, back;                     ///< from its first end to its second, and from its second to its first
    std::optional<control::LinkFault> fault;  ///< that somebody made on purpose
    bool idle = true;
    bool lit() const { return there.lit || back.lit; }
    /// Of the older of both reports.
    std::optional<MeshWatch::Time> heard() const;
    bool operator==(const LinkLook&) const = default;
};

struct InstanceLook {
    std::string id;
    control::InstanceState state = control::InstanceState::placed;
    std::int32_t stage = -1;  ///< below 0: it loads data, or stands by (control::standby_stage)
    double busy_share = 0;
    bool lit = false;
    bool operator==(const InstanceLook&) const = default;
};

struct NodeLook {
    std::optional<control::NodeState> state;  ///< none: it has left, and only its place is kept
    std::vector<InstanceLook> instances;      ///< of tasks that are not over, by their ids
    std::optional<MeshWatch::Time> heard;     ///< by the reports of its instances; none: nothing reports
    QString draining = {};                    ///< how far it is; empty: it takes instances
    bool lit = false;
    bool idle() const { return instances.empty(); }
    bool operator==(const NodeLook&) const = default;
};

struct MicLook {
    std::size_t nodes = 0, ready = 0;  ///< without those that have left
    std::size_t left = 0;
    bool idle = true;
    bool operator==(const MicLook&) const = default;
};

/// How all that is placed looks now: no text, no colour, no place.
struct MeshPicture {
    std::map<std::string, MicLook> mics;
    std::map<std::string, NodeLook> nodes;
    std::map<std::string, DeviceLook> devices;
    std::map<LinkName, LinkLook> links;
};

/// `task`: whose instances and paths are lit; empty: none. A part is idle when no instance runs there, no flow's path
/// leads over it and no traffic was seen; what is away or failed never is, since it must be seen.
MeshPicture picture_of(const MeshParts& parts, const client::ClusterData& cluster, const MeshWatch& watch,
                       const TaskId& task);

}  // namespace divisi::topology
