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

/// Converts measured figures to a model for plans. The latency is that of a small tensor, less the time per message
/// when many follow each other. The measured bandwidth includes all copies and checksums. The model assumes the default
/// cost for these, and sets its bandwidth so that the total time per byte is as measured.
price::LinkModel model_of(const control::LinkFigures& figures);

/// Returns the figures stated in the cluster file; figures it leaves out are those of `standard`.
price::LinkModel model_of(const control::StatedLink& link, price::LinkModel standard);

/// A link as plans price it. Measurements from host to host come first, then what the cluster file states, then the
/// default. Among the stated pairs, the most specific one wins, the forward direction before the reverse. Figures that
/// the file leaves out are the default ones.
struct KnownLink {
    std::optional<control::LinkTransport> transport;
    price::LinkModel model;
    std::optional<control::LinkView> measured;  ///< set if model.source is `measured`
};
KnownLink link_between(const control::ClusterState& state, const control::NodeInfo& from, const control::NodeInfo& to);

/// Returns the links within this machine alone, as an embedded cluster has them: measured between its instances, else
/// default.
price::Links links_within(const std::string& host, const MeasuredLinks& measured);

/// A link of the cluster as shown to people, between hosts instead of nodes.
struct HostLink {
    std::string from, to;
    KnownLink link;
};
/// Returns the links between all hosts of ready nodes, and within each host that has several.
std::vector<HostLink> host_links(const control::ClusterState& state);

}  // namespace divisi::submit
