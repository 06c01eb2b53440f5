// SPDX-License-Identifier: Apache-2.0
#include "backend/mesh/forwarding/downstream_credit.h"

#include <iterator>
#include <utility>
#include <vector>

namespace divisi::mesh::inline forwarding {
namespace {

/// Time after which a PATH is repeated before its regular refresh. This happens if the PATH was not answered, if the
/// flow waits for credit, or if sent frames were not answered.
constexpr Duration ask_again = std::chrono::milliseconds(300);
/// Time after which a promise that the flow's paths do not use is returned.
constexpr Duration unused_after = std::chrono::seconds(1);

}  // namespace

void DownstreamCredit::ask(RelayFlow& flow, RoutingId neighbour) {
    const NeighbourLinks::Link* link = neighbours_.find(neighbour);
    if (!link || !link->is_usable() || flow.paused) return;
    const auto [known, fresh] = flow.downstream.try_emplace(neighbour);
    RelayFlow::Downstream& next = known->second;
    if (fresh) next.handle = context_.config.boot + ++last_handle_;
    if (next.asked == context_.now) return;
    next.asked = context_.now;
    next.doubtful = false;
    if (next.used == TimePoint()) next.used = context_.now;
    RsvpMessage message;
    message.type = RsvpType::credit_path;
    message.refresh = refresh_interval;
    message.sids = flow.sids;
    set_path_index(message, flow.key.path_index);
    set_class(message, flow.key.flow_class);
    set_path_figures(message, link->link_there);
    const auto passes = [&](const Path& path) { return path.size() > 1 && path[1] == neighbour; };
    if (passes(flow.path)) set_route(message, RouteUse::primary, flow.route);
    if (passes(flow.backup_path)) set_route(message, RouteUse::backup, flow.backup);
    context_.send(neighbour, std::move(message), flow);
}

void DownstreamCredit::ask_ahead(RelayFlow& flow) {
    for (const Path* path : {&flow.path, &flow.backup_path})
        if (path->size() > 1 && context_.table.topology().link(context_.config.self, (*path)[1])) ask(flow, (*path)[1]);
}

void DownstreamCredit::refresh(RelayFlow& flow, bool blocked) {
    const TimePoint now = context_.now;
    std::vector<RoutingId> unused;
    for (auto& [id, next] : flow.downstream) {
        const bool here = flow.exit.device == id;
        const bool kept = here || (flow.backup_path.size() > 1 && flow.backup_path[1] == id);
        const bool owed = !next.out.empty() && now - next.used >= ask_again;
        const bool soon = (here && blocked) || owed || next.doubtful || !next.allowance.open();
        if (!kept && next.out.empty() && now - next.used >= unused_after) unused.push_back(id);
        else if (now - next.asked >= (soon ? ask_again : refresh_interval)) ask(flow, id);
    }
    for (const RoutingId id : unused) let_go(flow, id);
}

bool DownstreamCredit::release(RelayFlow& flow, RoutingId neighbour, std::uint64_t bytes) {
    RelayFlow::Downstream& next = flow.downstream.at(neighbour);
    next.freed += bytes;
    bool passed = false;
    while (!next.out.empty() && next.out.front().bytes() <= next.freed) {
        const RelayFlow::Held held = std::move(next.out.front());
        next.out.pop_front();
        next.freed -= held.bytes();
        flow.meter.delivered(held.bytes(), context_.now - held.since);
        neighbours_.count_delivered(neighbour, held.bytes(), context_.now - held.since);
        passed = passed || held.since > flow.routed;
        promises_.free(held, flow);
    }
    return passed;
}

void DownstreamCredit::take_back(RelayFlow& flow, RoutingId neighbour) {
    RelayFlow::Downstream& next = flow.downstream.at(neighbour);
    context_.counters.rerouted += next.out.size();
    neighbours_.count_again(neighbour, next.out.size());
    flow.meter.retried(next.out.size());
    for (const RelayFlow::Held& held : next.out) flow.queued += held.bytes();
    flow.queue.insert(flow.queue.begin(), std::make_move_iterator(next.out.begin()),
                      std::make_move_iterator(next.out.end()));
    next.out.clear();
    next.freed = 0;
}

void DownstreamCredit::withdraw(RelayFlow& flow, RoutingId neighbour) {
    if (!flow.downstream.contains(neighbour)) return;
    take_back(flow, neighbour);
    flow.downstream.erase(neighbour);
}

void DownstreamCredit::let_go(RelayFlow& flow, RoutingId neighbour) {
    RsvpMessage message;
    message.type = RsvpType::path_tear;
    if (neighbours_.is_usable(neighbour)) context_.send(neighbour, std::move(message), flow);
    flow.downstream.erase(neighbour);
}

}  // namespace divisi::mesh::inline forwarding
