// SPDX-License-Identifier: Apache-2.0
// divisictl nodes, pools and queue: shows the resources for placement and the order of tasks.
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "backend/base/text.h"
#include "backend/base/units.h"
#include "backend/control/state/drain_state.h"
#include "backend/control/state/pools.h"
#include "backend/ctl/terminal/commands.h"
#include "backend/ctl/terminal/fields_json.h"
#include "backend/ctl/terminal/json_output.h"
#include "backend/ctl/terminal/terminal.h"

namespace divisi::ctl {
namespace {

using control::ClusterState;
using control::NodesState;
using control::NodeStanding;
using control::NodeView;
using nlohmann::ordered_json;

/// The cluster and its free resources, queried at nearly the same moment.
struct Standing {
    ClusterState state;
    NodesState now;
};

Result<Standing> ask(const Common& common) {
    DIVISI_ASSIGN(const auto session, open_session(common));
    Standing standing;
    DIVISI_ASSIGN(standing.state, session->snapshot());
    DIVISI_ASSIGN(standing.now, session->ask<NodesState>(control::QueryNodes{}));
    return standing;
}

std::string decimal(double value, const char* format = "%.1f") {
    char text[40];
    std::snprintf(text, sizeof text, format, value);
    return text;
}

std::vector<std::string> pools_of(const ClusterState& state, const control::NodeInfo& node) {
    std::vector<std::string> names;
    for (const control::Pool& pool : state.pools)
        if (is_in(pool, node)) names.push_back(pool.name);
    return names;
}

std::string listed(const std::vector<std::string>& names) { return names.empty() ? "-" : joined(names); }

/// Returns the numbers of the reservations that are in force now.
std::vector<std::string> reservations_of(const ClusterState& state, const control::NodeInfo& node, TimePoint now) {
    std::vector<std::string> numbers;
    for (const auto& [number, reservation] : state.reservations)
        if (reservation.from <= now && now < reservation.until && is_reserved(state, reservation, node))
            numbers.push_back(std::to_string(number));
    return numbers;
}

/// Returns "ready" or "ready, draining".
std::string state_text(const ClusterState& state, const NodeId& node) {
    const auto drain = drain_state(state, node);
    const std::string text = to_string(state.nodes.at(node).state);
    return drain == control::DrainState::none ? text : text + ", " + to_string(drain);
}

/// Returns the figures of a node's machine, such as "38 %", "61.5 C" and "250.0 W"; "-" for a figure that is not
/// reported.
std::vector<std::string> machine_cells(const control::MachineFigures& machine) {
    const auto cell = [](const std::optional<double>& value, const char* format) {
        return value ? decimal(*value, format) : "-";
    };
    const bool told = machine.memory > 0;
    return {told ? decimal(100 * machine.cpu_share, "%.0f %%") : "-", cell(machine.temperature_c, "%.1f C"),
            cell(machine.power_w, "%.1f W")};
}

const char* use_of(const NodeStanding& node) {
    if (node.exclusive) return "exclusive";
    return node.tasks > 0 ? "in use" : "free";
}

}  // namespace

int list_nodes(const Common& common) {
    const auto standing = ask(common);
    if (!standing) return print_error(standing.error());
    const ClusterState& state = standing->state;
    std::vector<std::vector<std::string>> rows;
    for (const NodeStanding& node : standing->now.nodes) {
        const auto found = state.nodes.find(node.node);
        if (found == state.nodes.end()) continue;  // the node joined between the two queries
        const NodeView& view = found->second;
        const bool ready = view.state == control::NodeState::ready;
        const auto pools = pools_of(state, view.info);
        const auto reserved = reservations_of(state, view.info, state.time);
        if (common.json)
            print_json({{"node", node.node.value()},
                        {"state", to_string(view.state)},
                        {"drain", to_string(drain_state(state, node.node))},
                        {"host", view.info.host},
                        {"pools", pools},
                        {"shared", node.shared},
                        {"exclusive", node.exclusive},
                        {"tasks", node.tasks},
                        {"instances", node.instances},
                        {"cores_free", node.cores_free},
                        {"memory_free", node.memory_free},
                        {"losses", view.faults.losses},
                        {"failures", view.faults.failures},
                        {"faults", node.faults},
                        {"reservations", reserved},
                        {"machine", fields_json(node.machine)}});
        rows.push_back({node.node.value(), state_text(state, node.node), view.info.host, listed(pools),
                        ready ? use_of(node) : "-", std::to_string(node.instances), decimal(node.cores_free),
                        format_bytes(node.memory_free), std::to_string(view.faults.losses),
                        std::to_string(view.faults.failures), decimal(node.faults, "%.2f"), listed(reserved)});
        const std::vector<std::string> cells = machine_cells(node.machine);
        rows.back().insert(std::prev(rows.back().end()), cells.begin(), cells.end());
    }
    if (common.json) return 0;
    if (rows.empty()) std::puts("no nodes yet; start a node agent (divisi-node)");
    else
        print_table({"NODE", "STATE", "HOST", "POOLS", "USE", ">INSTANCES", ">FREE CORES", ">FREE MEMORY", ">LOSSES",
                     ">FAILURES", ">FAULTS NOW", ">CPU", ">TEMPERATURE", ">POWER", "RESERVED BY"},
                    rows);
    return 0;
}

int list_pools(const Common& common) {
    const auto standing = ask(common);
    if (!standing) return print_error(standing.error());
    const ClusterState& state = standing->state;
    std::vector<std::vector<std::string>> rows;
    for (const control::Pool& pool : state.pools) {
        std::size_t nodes = 0, ready = 0, idle = 0, instances = 0;
        std::map<std::string, std::pair<double, Bytes>> hosts;  // free cores and memory per host, shared by its nodes
        for (const NodeStanding& node : standing->now.nodes) {
            const auto found = state.nodes.find(node.node);
            if (found == state.nodes.end() || !is_in(pool, found->second.info)) continue;
            ++nodes;
            if (found->second.state != control::NodeState::ready) continue;
            ++ready;
            idle += node.tasks == 0 ? 1 : 0;
            instances += static_cast<std::size_t>(node.instances);
            hosts[found->second.info.host] = {node.cores_free, node.memory_free};
        }
        double cores = 0;
        Bytes memory = 0;
        for (const auto& [host, free] : hosts) {
            cores += free.first;
            memory += free.second;
        }
        if (common.json)
            print_json({{"pool", pool.name},
                        {"type", pool.type},
                        {"listed", pool.nodes},
                        {"shared", pool.shared},
                        {"most_instances", pool.instances},
                        {"nodes", nodes},
                        {"ready", ready},
                        {"free", idle},
                        {"instances", instances},
                        {"cores_free", cores},
                        {"memory_free", memory}});
        const std::string most = pool.instances > 0 ? ", " + std::to_string(pool.instances) + " each" : "";
        rows.push_back({pool.name, pool.type.empty() ? "any" : pool.type, pool.shared ? "shared" + most : "exclusive",
                        std::to_string(ready) + "/" + std::to_string(nodes), std::to_string(idle),
                        std::to_string(instances), decimal(cores), format_bytes(memory)});
    }
    if (common.json) return 0;
    if (rows.empty()) std::puts("no pools; the cluster file names them as [[pool]]");
    else
        print_table({"POOL", "TYPE", "NODES ARE", ">READY", ">FREE", ">INSTANCES", ">FREE CORES", ">FREE MEMORY"},
                    rows);
    return 0;
}

int list_queue(const Common& common) {
    const auto standing = ask(common);
    if (!standing) return print_error(standing.error());
    const char* discipline = to_string(standing->state.queue.discipline);
    ordered_json submitters = ordered_json::array(), waiting = ordered_json::array();
    std::vector<std::vector<std::string>> people, tasks;
    for (const control::SubmitterStanding& one : standing->now.submitters) {
        submitters.push_back({{"submitter", one.name},
                              {"weight", one.weight},
                              {"node_seconds", one.node_seconds},
                              {"virtual_time", one.virtual_time}});
        people.push_back({one.name.empty() ? "-" : one.name, decimal(one.weight, "%g"), decimal(one.node_seconds),
                          decimal(one.virtual_time)});
    }
    for (const control::WaitingTask& one : standing->now.waiting) {
        const auto found = standing->state.tasks.find(one.task);
        const std::string submitter = found == standing->state.tasks.end() ? "-" : found->second.submitter;
        waiting.push_back({{"task", one.task.value()}, {"submitter", submitter}, {"waits_for", one.why}});
        tasks.push_back({one.task.value(), submitter, one.why});
    }
    if (common.json) {
        print_json({{"discipline", discipline}, {"submitters", submitters}, {"waiting", waiting}});
        return 0;
    }
    std::printf("discipline: %s\n", discipline);
    if (!people.empty()) print_table({"SUBMITTER", ">WEIGHT", ">NODE-SECONDS", ">VIRTUAL TIME"}, people);
    if (tasks.empty()) std::puts("no task waits for nodes");
    else print_table({"TASK", "SUBMITTER", "WAITS FOR"}, tasks);
    return 0;
}

}  // namespace divisi::ctl
