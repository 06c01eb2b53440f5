// SPDX-License-Identifier: Apache-2.0
#include "backend/control/abnormal.h"

#include <algorithm>

namespace divisi::control {
namespace {

/// Whether a unit is played under this SID: a unit's own begins with that of its instance.
bool belongs(const Sid& unit, const Sid& instance) {
    return unit == instance || unit.value().starts_with(instance.value() + "/");
}

/// The units that wait for what these edges bring, and those that wait for them in turn.
std::set<Sid> waiting_for(const std::vector<UnitView>& units, const std::vector<const AbnormalFlow*>& edges) {
    std::set<Sid> waiting;
    const auto needs = [&](const UnitView& unit) {
        return std::ranges::any_of(unit.depends_on, [&](const Sid& source) {
            return waiting.contains(source) || std::ranges::any_of(edges, [&](const AbnormalFlow* edge) {
                       return belongs(unit.sid, edge->destination) && belongs(source, edge->source);
                   });
        });
    };
    for (bool grows = true; grows;) {
        grows = false;
        for (const UnitView& unit : units)
            if (!waiting.contains(unit.sid) && needs(unit)) grows = waiting.insert(unit.sid).second;
    }
    return waiting;
}

/// "gpt-1/stage-0/0 > gpt-1/stage-1/0 now by sr-2, sr-3".
std::string edges_text(const ImpactOnTask& impact,
                       const std::function<std::string(const std::vector<std::uint32_t>&)>& between) {
    constexpr std::size_t most_named = 4;
    std::string text;
    for (std::size_t i = 0; i < std::min(impact.edges.size(), most_named); ++i) {
        const AbnormalFlow& edge = *impact.edges[i];
        const std::string way = edge.path.size() < 2 ? " has no way now" : " goes by " + between(edge.path);
        text += (i > 0 ? ", " : "") + edge.source.value() + " > " + edge.destination.value() + way;
    }
    if (impact.edges.size() > most_named) text += " and " + std::to_string(impact.edges.size() - most_named) + " more";
    return text;
}

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

}  // namespace

Impact impact_of(const ClusterState& state, const std::vector<AbnormalFlow>& flows) {
    Impact impact;
    for (const AbnormalFlow& flow : flows) impact[flow.task].edges.push_back(&flow);
    for (auto& [id, one] : impact)
        if (const auto task = state.tasks.find(id); task != state.tasks.end())
            one.waiting = waiting_for(task->second.units, one.edges);
    return impact;
}

Severity severity_of(mesh::AbnormalKind kind) {
    const bool begins = kind == mesh::AbnormalKind::neighbour_silent || kind == mesh::AbnormalKind::buffer_full;
    return begins ? Severity::warning : Severity::info;
}

std::map<TaskId, std::string> describe(const std::string& device, const std::string& neighbour,
                                       const AbnormalState& state, const Impact& impact,
                                       const std::function<std::string(const std::vector<std::uint32_t>&)>& between) {
    const std::string what = what_of(device, neighbour, state.kind);
    if (impact.empty()) return {{TaskId(), what + "; no task is concerned"}};
    const bool silent = state.kind == mesh::AbnormalKind::neighbour_silent;
    std::map<TaskId, std::string> lines;
    for (const auto& [task, one] : impact) {
        std::string line = what + (silent ? "; after local repair " : "; ") + edges_text(one, between);
        if (severity_of(state.kind) == Severity::warning)
            line += "; units that depend on it: " + std::to_string(one.waiting.size());
        lines[task] = std::move(line);
    }
    return lines;
}

}  // namespace divisi::control
