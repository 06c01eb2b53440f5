// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "backend/control/state/state.h"
#include "backend/price/cost_model.h"

namespace divisi::submit {

using MeasuredLinks = std::map<control::LinkKey, control::LinkView>;

/// Converts measured figures to the link model that plans use. Its latency is the latency of a small tensor minus the
/// time per message in a burst. The measured bandwidth includes all copies and checksums. The model assumes the default
/// cost of copies and checksums. It sets its bandwidth so that the total time per byte equals the measured time.
price::LinkModel model_of(const control::LinkFigures& figures);

/// Returns the figures stated in the cluster file; a figure that is not stated is taken from `standard`.
price::LinkModel model_of(const control::StatedLink& link, price::LinkModel standard);

/// A link with the prices that plans use. A measurement between the two hosts takes precedence, then a matching pair of
/// the cluster file, then the default. Among matching pairs, the most specific one wins; at a tie, the forward
/// direction wins over the reverse. Figures that the file leaves out have their defaults.
struct KnownLink {
    std::optional<control::LinkTransport> transport;
    price::LinkModel model;
    std::optional<control::LinkView> measured;  ///< set if model.source is `measured`
};
KnownLink link_between(const control::ClusterState& state, const control::NodeInfo& from, const control::NodeInfo& to);

/// Returns the links of an embedded cluster on this machine. The link within the host has the figures measured between
/// instances, or else the default figures.
price::Links links_within(const std::string& host, const MeasuredLinks& measured);

/// A link of the cluster as shown to users: between hosts, not between nodes.
struct HostLink {
    std::string from, to;
    KnownLink link;
};
/// Returns the links between all hosts of ready nodes, and within each host that has several ready nodes.
std::vector<HostLink> host_links(const control::ClusterState& state);

}  // namespace divisi::submit
