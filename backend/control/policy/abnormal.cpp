// SPDX-License-Identifier: Apache-2.0
#include "backend/control/policy/abnormal.h"

#include <algorithm>
#include <deque>
#include <utility>

#include "backend/control/state/incarnation.h"

namespace divisi::control::inline policy {
namespace {

/// Finds which dependencies between units use a given set of edges between instances.
class EdgeSet {
public:
    EdgeSet(const std::vector<UnitView>& units, const Edges& edges) {
        for (const UnitView& unit : units) players_.emplace(unit.sid, sid_of(unit.instance));
        for (const AbnormalFlow* edge : edges) edges_.insert({edge->source, edge->destination});
    }
    bool reach(const UnitView& unit) const {
        const Sid& here = players_.at(unit.sid);
        return std::ranges::any_of(unit.depends_on, [&](const Sid& source) {
            const auto there = players_.find(source);
            return there != players_.end() && edges_.contains({there->second, here});
        });
    }

private:
    std::map<Sid, Sid> players_;  ///< instance SIDs by unit SID
    std::set<std::pair<Sid, Sid>> edges_;
};

/// Describes up to four edges and their paths, for example "gpt-1/stage-0/0 > gpt-1/stage-1/0 uses sr-2, sr-3".
std::string edges_text(const Edges& edges,
                       const std::function<std::string(const std::vector<std::uint32_t>&)>& between) {
    constexpr std::size_t most_named = 4;
    std::string text;
    for (std::size_t i = 0; i < std::min(edges.size(), most_named); ++i) {
        const AbnormalFlow& edge = *edges[i];
        const std::string way = edge.path.size() < 2 ? " has no path now" : " uses " + between(edge.path);
        text += (i > 0 ? ", " : "") + edge.source.value() + " > " + edge.destination.value() + way;
    }
    if (edges.size() > most_named) text += " and " + std::to_string(edges.size() - most_named) + " more";
    return text;
}

}  // namespace

std::string what_of(const std::string& device, const std::string& neighbour, mesh::AbnormalKind kind) {
    switch (kind) {
        case mesh::AbnormalKind::neighbour_silent: return device + " hears nothing from " + neighbour;
        case mesh::AbnormalKind::neighbour_back: return device + " hears " + neighbour + " again";
        case mesh::AbnormalKind::buffer_full:
            return device + " has had no room for chunks from " + neighbour + " for 1 s";
        case mesh::AbnormalKind::buffer_free: return device + " has room for chunks from " + neighbour + " again";
    }
    return "";
}

std::map<TaskId, Edges> edges_by_task(const std::vector<AbnormalFlow>& flows) {
    std::map<TaskId, Edges> edges;
    for (const AbnormalFlow& flow : flows) edges[flow.task].push_back(&flow);
    return edges;
}

std::set<Sid> waiting_for(const std::vector<UnitView>& units, const Edges& edges) {
    const EdgeSet reached(units, edges);
    std::map<Sid, std::vector<const UnitView*>> needed_by;
    std::set<Sid> waiting;
    std::deque<const UnitView*> open;
    const auto add = [&](const UnitView* unit) {
        if (waiting.insert(unit->sid).second) open.push_back(unit);
    };
    for (const UnitView& unit : units) {
        for (const Sid& source : unit.depends_on) needed_by[source].push_back(&unit);
        if (reached.reach(unit)) add(&unit);
    }
    for (; !open.empty(); open.pop_front())
        if (const auto next = needed_by.find(open.front()->sid); next != needed_by.end())
            for (const UnitView* unit : next->second) add(unit);
    return waiting;
}

Severity severity_of(mesh::AbnormalKind kind) {
    const bool begins = kind == mesh::AbnormalKind::neighbour_silent || kind == mesh::AbnormalKind::buffer_full;
    return begins ? Severity::warning : Severity::info;
}

std::string line_of(const std::string& what, mesh::AbnormalKind kind, const Edges& edges,
                    const std::vector<UnitView>& units,
                    const std::function<std::string(const std::vector<std::uint32_t>&)>& between) {
    const bool silent = kind == mesh::AbnormalKind::neighbour_silent;
    std::string line = what + (silent ? "; after local repair " : "; ") + edges_text(edges, between);
    if (severity_of(kind) == Severity::warning)
        line += "; units that depend on it: " + std::to_string(waiting_for(units, edges).size());
    return line;
}

}  // namespace divisi::control::inline policy
