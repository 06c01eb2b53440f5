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

/// Measured figures as plans count them: a small tensor takes the latency less what each of many in a row takes; the
/// bandwidth was measured with all copies and checksums, which are taken for the default ones, so that bytes occupy the
/// link as measured and its hosts as ever.
price::LinkModel model_of(const control::LinkFigures& figures);

/// Figures that the cluster file states; those that it leaves out are those of `standard`.
price::LinkModel model_of(const control::StatedLink& link, price::LinkModel standard);

/// A link as plans count it: what was measured from host to host, else what the cluster file states (the pair of names
/// that says most, one way before back; figures that it leaves out are the default ones), else the default.
struct KnownLink {
    std::optional<control::LinkTransport> transport;
    price::LinkModel model;
    std::optional<control::LinkView> measured;  ///< where model.source says so
};
KnownLink link_between(const control::ClusterState& state, const control::NodeInfo& from, const control::NodeInfo& to);

/// The links of one machine by itself, as an embedded cluster has them: measured between its instances, else default.
price::Links links_within(const std::string& host, const MeasuredLinks& measured);

/// A link of the cluster as people see it: nodes stand for their hosts.
struct HostLink {
    std::string from, to;
    KnownLink link;
};
/// Those between all hosts of ready nodes, and within each host with several.
std::vector<HostLink> host_links(const control::ClusterState& state);

}  // namespace divisi::submit
