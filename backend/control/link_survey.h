// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "backend/control/desk.h"

namespace divisi::control {

/// Measures the links between nodes one at a time, once per pair of hosts and transport, while nobody trains: by
/// tensors that one node's agent sends and another's takes, over the data plane of the instances.
class LinkSurvey {
public:
    explicit LinkSurvey(Desk& desk) : desk_(desk) {}

    /// Begins, ends or gives up a probe, as it is time for. To be called after every input.
    void look();
    void handle(const Received& received, const MeasureLinks& message);
    void handle(const Received& received, const ProbeServed& message);
    void handle(const Received& received, const ProbeEnded& message);
    /// A node is away or gone: its probe ends.
    void node_gone(const NodeId& node);
    /// What happens to nodes and tasks would disturb a probe.
    void follow(const Event& event);
    std::optional<TimePoint> next_deadline() const;  ///< in lived time

private:
    /// A link that is being measured.
    struct Probe {
        std::uint64_t number = 0;
        NodeId from, to;
        TimePoint deadline{};
    };

    bool idle() const;
    std::optional<std::pair<NodeId, NodeId>> link_to_measure() const;
    void start(const NodeId& from, const NodeId& to);
    void fail(const std::string& why);
    void end();
    LinkKey key() const;

    Desk& desk_;
    std::optional<Probe> probe_;
    std::uint64_t last_probe_ = 0;
    TimePoint quiet_since_{};  ///< since when nothing that would disturb a probe has happened
    TimePoint asked_{};        ///< an operator wants links that were measured after this
    TimePoint next_{};         ///< all links are known; until then there is nothing to look for
    std::map<LinkKey, TimePoint> failed_;
};

}  // namespace divisi::control
