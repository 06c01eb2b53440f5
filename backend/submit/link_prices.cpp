// SPDX-License-Identifier: Apache-2.0
#include "backend/submit/link_prices.h"

#include <algorithm>

namespace divisi::submit {

using namespace control;

namespace {

/// Returns how specifically a pattern of the cluster file matches the node: a higher number is more specific. Returns
/// nothing if the pattern does not match.
std::optional<std::size_t> match(const std::string& pattern, const std::string& node) {
    if (!pattern.ends_with('*')) return pattern == node ? std::optional(node.size() + 1) : std::nullopt;
    const std::size_t prefix = pattern.size() - 1;
    return node.compare(0, prefix, pattern, 0, prefix) == 0 ? std::optional(prefix) : std::nullopt;
}

const StatedLink* stated(const std::vector<StatedLink>& links, const std::string& from, const std::string& to) {
    const StatedLink* best = nullptr;
    std::size_t most = 0;
    for (const bool back : {false, true})
        for (const StatedLink& link : links) {
            const auto first = match(link.from, back ? to : from), second = match(link.to, back ? from : to);
            if (!first || !second || (best && *first + *second <= most)) continue;
            best = &link;
            most = *first + *second;
        }
    return best;
}

}  // namespace

price::LinkModel model_of(const LinkFigures& figures) {
    const double per_byte = 1 / figures.bytes_per_s;
    const double handled = std::min(price::default_links().within_host.serialize_s_per_byte, per_byte);
    const double moved = per_byte - handled;
    return {std::max(figures.latency_s - figures.message_s, 0.0), moved > 0 ? 1 / moved : 0, figures.message_s, handled,
            price::LinkSource::measured};
}

price::LinkModel model_of(const StatedLink& link, price::LinkModel standard) {
    if (link.latency_s) standard.latency_s = *link.latency_s;
    if (link.bytes_per_s) standard.bytes_per_s = *link.bytes_per_s;
    standard.source = price::LinkSource::stated;
    return standard;
}

KnownLink link_between(const ClusterState& state, const NodeInfo& from, const NodeInfo& to) {
    const price::Links standard = price::default_links();
    KnownLink link{
        transport_between(from, to), from.host == to.host ? standard.within_host : standard.between_hosts, {}};
    if (link.transport)
        if (const auto found = state.links.find({from.host, to.host, *link.transport}); found != state.links.end()) {
            link.model = model_of(found->second.link.figures);
            link.measured = found->second;
            return link;
        }
    if (const StatedLink* said = stated(state.stated_links, from.id.value(), to.id.value()))
        link.model = model_of(*said, link.model);
    return link;
}

price::Links links_within(const std::string& host, const MeasuredLinks& measured) {
    price::Links links = price::default_links();
    if (const auto found = measured.find({host, host, LinkTransport::ipc}); found != measured.end())
        links.within_host = model_of(found->second.link.figures);
    return links;
}

std::vector<HostLink> host_links(const ClusterState& state) {
    std::map<std::string, std::vector<const NodeInfo*>> hosts;
    for (const auto& [id, node] : state.nodes)
        if (node.state == NodeState::ready) hosts[node.info.host].push_back(&node.info);
    std::vector<HostLink> links;
    for (const auto& [from, nodes] : hosts)
        for (const auto& [to, others] : hosts)
            if (from != to || nodes.size() > 1)
                links.push_back({from, to, link_between(state, *nodes.front(), *others.back())});
    return links;
}

}  // namespace divisi::submit
