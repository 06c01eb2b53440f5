// SPDX-License-Identifier: Apache-2.0
// Links are measured one at a time, once per pair of hosts and transport, while nobody trains: by tensors that one
// node's agent sends and another's takes, over the data plane of the instances.
#include <algorithm>
#include <cmath>

#include "backend/control/link_prices.h"
#include "backend/control/orchestrator.h"

namespace divisi::control {
namespace {

/// Hosts whose links with each other are measured; a link takes a fifth of a second, and pairs grow with the square.
constexpr std::size_t surveyed_hosts = 64;
constexpr Duration survey_interval = std::chrono::minutes(1);

bool usable(const LinkFigures& figures) {
    const auto time = [](double value) { return std::isfinite(value) && value >= 0; };
    return time(figures.latency_s) && time(figures.latency_spread_s) && time(figures.message_s) &&
           time(figures.bytes_spread_per_s) && std::isfinite(figures.bytes_per_s) && figures.bytes_per_s > 0;
}

}  // namespace

bool Orchestrator::idle() const {
    return std::none_of(state_.tasks.begin(), state_.tasks.end(),
                        [](const auto& entry) { return entry.second.pending(); });
}

void Orchestrator::survey_links() {
    if (probe_ && !idle()) return end_probe();  // it is asked for again when the task has ended
    if (probe_ && lived_ >= probe_->deadline) fail_probe("it took too long");
    if (probe_ || now_ < next_survey_ || !idle() || now_ < quiet_since_ + limits_.link_settle) return;
    if (const auto link = link_to_measure()) start_probe(link->first, link->second);
    else next_survey_ = now_ + survey_interval;
}

std::optional<std::pair<NodeId, NodeId>> Orchestrator::link_to_measure() const {
    std::map<std::string, std::vector<const NodeInfo*>> hosts;
    for (const auto& [id, node] : state_.nodes)
        if (node.state == NodeState::ready && (hosts.contains(node.info.host) || hosts.size() < surveyed_hosts))
            hosts[node.info.host].push_back(&node.info);
    for (const auto& [from_host, nodes] : hosts)
        for (const auto& [to_host, others] : hosts) {
            const NodeInfo &from = *nodes.front(), &to = *others.back();
            const auto transport = transport_between(from, to);
            if (!transport || from.id == to.id) continue;
            const LinkKey key{from_host, to_host, *transport};
            const auto known = state_.links.find(key);
            const auto failed = probe_failed_.find(key);
            const bool fresh = known != state_.links.end() && known->second.measured >= links_asked_ &&
                               now_ < known->second.measured + limits_.link_age;
            if (!fresh && (failed == probe_failed_.end() || now_ >= failed->second + limits_.link_retry))
                return std::pair(from.id, to.id);
        }
    return std::nullopt;
}

void Orchestrator::start_probe(const NodeId& from, const NodeId& to) {
    const auto server = peer_of(to);
    if (!server || !peer_of(from)) return;  // lose_node() follows
    probe_ = Probe{++last_probe_, from, to, lived_ + limits_.link_probe};
    send(*server, ServeProbe{probe_->number, from, state_.nodes.at(from).info.blob_key});
}

void Orchestrator::handle(const Received& received, const MeasureLinks&) {
    links_asked_ = next_survey_ = now_;
    probe_failed_.clear();
    answer(received, Done{});
}

void Orchestrator::handle(const Received& received, const ProbeServed& message) {
    if (!probe_ || message.probe != probe_->number || peers_.at(received.peer).node != probe_->to) return;
    if (message.error) return fail_probe(message.error->message());
    const auto runner = peer_of(probe_->from);
    if (!runner) return fail_probe("its node was lost");
    send(*runner, RunProbe{probe_->number, message.endpoint, state_.nodes.at(probe_->to).info.blob_key});
}

void Orchestrator::handle(const Received& received, const ProbeEnded& message) {
    if (!probe_ || message.probe != probe_->number || peers_.at(received.peer).node != probe_->from) return;
    if (message.error) return fail_probe(message.error->message());
    if (!usable(message.figures)) return fail_probe("its figures are none that a link has");
    const LinkKey key = key_of_probe();
    append(LinkMeasured{probe_->from, probe_->to, key.from_host, key.to_host, key.transport, message.figures});
    end_probe();
}

void Orchestrator::fail_probe(const std::string& why) {
    const LinkKey key = key_of_probe();
    if (probe_failed_.size() >= link_limit) probe_failed_.clear();
    probe_failed_[key] = now_;
    append(Noted{Severity::warning, "orchestrator", "",
                 "the link from " + key.from_host + " to " + key.to_host + " by " + to_string(key.transport) +
                     " was not measured: " + why});
    end_probe();
}

void Orchestrator::end_probe() {
    for (const NodeId& node : {probe_->from, probe_->to})
        if (const auto peer = peer_of(node)) send(*peer, EndProbe{probe_->number});
    probe_.reset();
}

LinkKey Orchestrator::key_of_probe() const {
    const NodeInfo &from = state_.nodes.at(probe_->from).info, &to = state_.nodes.at(probe_->to).info;
    return {from.host, to.host, transport_between(from, to).value_or(LinkTransport::ipc)};
}

}  // namespace divisi::control
