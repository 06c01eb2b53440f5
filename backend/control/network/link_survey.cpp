// SPDX-License-Identifier: Apache-2.0
#include "backend/control/network/link_survey.h"

#include <algorithm>
#include <cmath>

#include "backend/control/protocol/probe_messages.h"

namespace divisi::control::inline network {
namespace {

/// Maximum number of hosts whose links are measured. Measuring one link takes a fifth of a second, and the number of
/// pairs grows with the square of the number of hosts.
constexpr std::size_t surveyed_hosts = 64;
constexpr Duration survey_interval = std::chrono::minutes(1);

bool usable(const LinkFigures& figures) {
    const auto time = [](double value) { return std::isfinite(value) && value >= 0; };
    return time(figures.latency_s) && time(figures.latency_spread_s) && time(figures.message_s) &&
           time(figures.bytes_spread_per_s) && std::isfinite(figures.bytes_per_s) && figures.bytes_per_s > 0;
}

}  // namespace

bool LinkSurvey::idle() const {
    return std::none_of(context_.state().tasks.begin(), context_.state().tasks.end(),
                        [](const auto& entry) { return entry.second.pending(); });
}

void LinkSurvey::poll() {
    if (std::exchange(fault_changes_, devices_.fault_changes()) != devices_.fault_changes()) next_ = context_.now();
    if (probe_ && !idle()) return end();  // the link is measured again when the task has ended
    if (probe_ && context_.lived() >= probe_->deadline) fail("it took too long");
    if (probe_ || context_.now() < next_) return;
    if (!idle()) {
        next_ = TimePoint::max();  // follow() notices the end of tasks
        return;
    }
    if (context_.now() < quiet_since_ + context_.limits().link_settle) return;
    if (const auto link = link_to_measure()) start(link->first, link->second);
    else if (const auto way = way_to_measure()) start(*way);
    else next_ = context_.now() + survey_interval;
}

std::optional<std::pair<NodeId, NodeId>> LinkSurvey::link_to_measure() const {
    std::map<std::string, std::vector<const NodeInfo*>> hosts;
    for (const auto& [id, node] : context_.state().nodes)
        if (node.state == NodeState::ready && (hosts.contains(node.info.host) || hosts.size() < surveyed_hosts))
            hosts[node.info.host].push_back(&node.info);
    for (const auto& [from_host, nodes] : hosts)
        for (const auto& [to_host, others] : hosts) {
            const NodeInfo &from = *nodes.front(), &to = *others.back();
            const auto transport = transport_between(from, to);
            if (!transport || from.id == to.id) continue;
            const LinkKey key{from_host, to_host, *transport};
            if (!is_fresh(key) && !was_tried(key)) return std::pair(from.id, to.id);
        }
    return std::nullopt;
}

std::optional<MeshDevices::Way> LinkSurvey::way_to_measure() const {
    for (MeshDevices::Way& way : devices_.ways()) {
        const LinkKey key{way.from, way.to, LinkTransport::mesh};
        const auto known = measured_with_.find(key);
        const bool holds = known != measured_with_.end() && known->second == way.fault && is_fresh(key);
        if (!holds && !way.fault.cut && !was_tried(key)) return std::move(way);
    }
    return std::nullopt;
}

bool LinkSurvey::is_fresh(const LinkKey& key) const {
    const auto known = context_.state().links.find(key);
    return known != context_.state().links.end() && known->second.measured >= asked_ &&
           context_.now() < known->second.measured + context_.limits().link_age;
}

/// Returns whether measuring the link failed recently.
bool LinkSurvey::was_tried(const LinkKey& key) const {
    const auto failed = failed_.find(key);
    return failed != failed_.end() && context_.now() < failed->second + context_.limits().link_retry;
}

void LinkSurvey::start(const NodeId& from, const NodeId& to) {
    if (!context_.sessions().of(to) || !context_.sessions().of(from))
        return;  // an end of the link is not connected; the next poll() chooses a link again
    probe_ = Probe{++last_probe_, from, to, context_.lived() + context_.limits().link_probe, {}};
    context_.tell(to, ServeProbe{probe_->number, from, context_.state().nodes.at(from).info.blob_key});
}

void LinkSurvey::start(const MeshDevices::Way& way) {
    probe_ = Probe{++last_probe_, {}, {}, context_.lived() + context_.limits().link_probe, way};
    context_.send(way.peer, ProbeNeighbour{probe_->number, way.to_id});
}

/// Returns whether the probe runs at the other end of this connection.
bool LinkSurvey::is_from(PeerId peer) const {
    return probe_->way ? probe_->way->peer == peer : context_.sessions().at(peer).node == probe_->from;
}

void LinkSurvey::handle(const Received& received, const MeasureLinks&) {
    asked_ = next_ = context_.now();
    failed_.clear();
    context_.answer(received, Done{});
}

void LinkSurvey::handle(const Received& received, const ProbeServed& message) {
    const bool awaited = probe_ && !probe_->way && message.probe == probe_->number;
    if (!awaited || context_.sessions().at(received.peer).node != probe_->to) return;
    if (message.error) return fail(message.error->message());
    const RunProbe run{probe_->number, message.endpoint, context_.state().nodes.at(probe_->to).info.blob_key};
    if (!context_.tell(probe_->from, run)) fail("its node was lost");
}

void LinkSurvey::handle(const Received& received, const ProbeEnded& message) {
    if (!probe_ || message.probe != probe_->number || !is_from(received.peer)) return;
    if (message.error) return fail(message.error->message());
    if (!usable(message.figures)) return fail("its figures are not plausible for a link");
    const LinkKey link = key();
    if (probe_->way) {
        if (measured_with_.size() >= link_limit) measured_with_.clear();
        measured_with_[link] = probe_->way->fault;
    }
    context_.append(
        LinkMeasured{probe_->from, probe_->to, link.from_host, link.to_host, link.transport, message.figures});
    end();
}

void LinkSurvey::fail(const std::string& why) {
    const LinkKey link = key();
    if (failed_.size() >= link_limit) failed_.clear();
    failed_[link] = context_.now();
    context_.append(Noted{Severity::warning, "orchestrator", "",
                          "the link from " + link.from_host + " to " + link.to_host + " by " +
                              to_string(link.transport) + " was not measured: " + why});
    end();
}

void LinkSurvey::end() {
    if (probe_->way) {
        if (context_.sessions().contains(probe_->way->peer)) context_.send(probe_->way->peer, EndProbe{probe_->number});
    } else {
        for (const NodeId& node : {probe_->from, probe_->to}) context_.tell(node, EndProbe{probe_->number});
    }
    probe_.reset();
}

void LinkSurvey::node_gone(const NodeId& node) {
    if (probe_ && (probe_->from == node || probe_->to == node)) end();
}

void LinkSurvey::peer_gone(PeerId peer) {
    const auto device = devices_.name_of(peer);
    if (!device) return;
    if (probe_ && probe_->way && (probe_->way->from == *device || probe_->way->to == *device)) end();
    forget_failures(*device);
    // A new process of that name has not measured its links. If the device returns under another name, its neighbours
    // have not measured the links to it either.
    std::erase_if(measured_with_, [&](const auto& entry) {
        return entry.first.from_host == *device || entry.first.to_host == *device;
    });
}

void LinkSurvey::forget_failures(const std::string& device) {
    std::erase_if(failed_, [&](const auto& entry) {
        const LinkKey& link = entry.first;
        return link.transport == LinkTransport::mesh && (link.from_host == device || link.to_host == device);
    });
}

void LinkSurvey::follow(const Event& event) {
    if (const auto* joined = get_if<DeviceJoined>(&event.body)) forget_failures(joined->device.name);
    const auto is = [&]<typename... Body>() { return (holds_alternative<Body>(event.body) || ...); };
    if (is.
        operator()<ClusterStarted, NodeJoined, NodeEnded, TaskQueued, TaskHeld, TaskEnded, DeviceJoined, DeviceLeft>())
        quiet_since_ = next_ = context_.now();
}

std::optional<TimePoint> LinkSurvey::next_deadline() const {
    return probe_ ? std::optional(probe_->deadline) : std::nullopt;
}

LinkKey LinkSurvey::key() const {
    if (probe_->way) return {probe_->way->from, probe_->way->to, LinkTransport::mesh};
    const NodeInfo &from = context_.state().nodes.at(probe_->from).info,
                   &to = context_.state().nodes.at(probe_->to).info;
    return {from.host, to.host, transport_between(from, to).value_or(LinkTransport::ipc)};
}

}  // namespace divisi::control::inline network
