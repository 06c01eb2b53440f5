// SPDX-License-Identifier: Apache-2.0
#include "backend/control/abnormal.h"

#include <algorithm>
#include <deque>
#include <utility>

namespace divisi::control {
namespace {

/// Those of the names that this unit is played under: a unit's SID begins with that of its instance.
std::vector<std::string> instances_in(const std::set<std::string>& names, const Sid& unit) {
    std::vector<std::string> found;
    const std::string& text = unit.value();
    for (std::size_t end = text.find('/'); end != std::string::npos; end = text.find('/', end + 1))
        if (names.contains(text.substr(0, end))) found.push_back(text.substr(0, end));
    if (names.contains(text)) found.push_back(text);
    return found;
}

/// Which dependencies of units are among some edges between instances.
class EdgeSet {
public:
    explicit EdgeSet(const Edges& edges) {
        for (const AbnormalFlow* edge : edges) {
            sources_.insert(edge->source.value());
            destinations_.insert(edge->destination.value());
            edges_.insert({edge->source.value(), edge->destination.value()});
        }
    }
    bool reach(const UnitView& unit) const {
        const auto destinations = instances_in(destinations_, unit.sid);
        if (destinations.empty()) return false;
        return std::ranges::any_of(unit.depends_on, [&](const Sid& source) {
            for (const std::string& from : instances_in(sources_, source))
                for (const std::string& to : destinations)
                    if (edges_.contains({from, to})) return true;
            return false;
        });
    }

private:
    std::set<std::string> sources_, destinations_;
    std::set<std::pair<std::string, std::string>> edges_;
};

/// "gpt-1/stage-0/0 > gpt-1/stage-1/0 now by sr-2, sr-3".
std::string edges_text(const Edges& edges,
                       const std::function<std::string(const std::vector<std::uint32_t>&)>& between) {
    constexpr std::size_t most_named = 4;
    std::string text;
    for (std::size_t i = 0; i < std::min(edges.size(), most_named); ++i) {
        const AbnormalFlow& edge = *edges[i];
        const std::string way = edge.path.size() < 2 ? " has no way now" : " goes by " + between(edge.path);
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
    const EdgeSet reached(edges);
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

}  // namespace divisi::control
