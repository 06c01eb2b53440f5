// SPDX-License-Identifier: Apache-2.0
#include "backend/control/state/pools.h"

#include <algorithm>
#include <set>

#include "backend/control/types/error_texts.h"
#include "backend/task/suggest.h"

namespace divisi::control::inline state {
namespace {

Discipline discipline_of(const std::string& name) {
    for (const Discipline one : {Discipline::fcfs, Discipline::share})
        if (name == to_string(one)) return one;
    return Discipline::priority;
}

bool has_device(const NodeInfo& node, const std::string& type) {
    return std::any_of(node.devices.begin(), node.devices.end(),
                       [&](const Device& device) { return device.type == type; });
}

Bytes asked_memory(const task::NodeWish& wish) { return wish.memory_mib << 20; }

/// Returns the error with another next step, for example the names to choose from.
Error with_next(Error error, std::string next) {
    error.next = std::move(next);
    return error;
}

/// Checks that the cluster's nodes have the requested device type and memory. Ignores which nodes the task names.
Result<void> check_template(const ClusterState& state, const task::NodeWish& wish) {
    std::set<std::string> types;
    Bytes largest = 0;
    for (const auto& [id, node] : state.nodes) {
        for (const Device& device : node.info.devices) types.insert(device.type);
        largest = std::max(largest, memory_of(node.info));
    }
    if (!wish.device_type.empty() && !types.contains(wish.device_type))
        return with_next(make_error(error_text("device-type-unknown"), "[place] device_type", {wish.device_type}),
                         task::suggest(wish.device_type, {types.begin(), types.end()}));
    if (asked_memory(wish) <= largest) return {};
    return make_error(error_text("no-node-with-memory"), "[place] memory_mib",
                      {format_bytes(asked_memory(wish)), format_bytes(largest)});
}

}  // namespace

Bytes memory_of(const NodeInfo& node) {
    if (node.memory > 0) return node.memory;
    const auto processor = std::find_if(node.devices.begin(), node.devices.end(),
                                        [](const Device& device) { return device.name == "cpu"; });
    return processor == node.devices.end() ? 0 : processor->memory;
}

std::vector<Pool> stated_pools(const task::ClusterSpec& spec) {
    std::vector<Pool> pools;
    for (const task::ClusterPool& pool : spec.pools)
        pools.push_back({pool.name, pool.type, pool.nodes, pool.shared, static_cast<std::int32_t>(pool.instances)});
    return pools;
}

QueueRules stated_queue(const task::ClusterSpec& spec) {
    QueueRules rules;
    rules.discipline = discipline_of(spec.queue.discipline);
    for (const auto& [submitter, weight] : spec.queue.weights) rules.weights.push_back({submitter, weight});
    return rules;
}

bool is_meant(std::string_view pattern, const NodeId& node) {
    if (!pattern.ends_with('*')) return node.value() == pattern;
    return node.value().starts_with(pattern.substr(0, pattern.size() - 1));
}

bool is_meant(const std::vector<std::string>& patterns, const NodeId& node) {
    return std::any_of(patterns.begin(), patterns.end(),
                       [&](const std::string& pattern) { return is_meant(pattern, node); });
}

bool is_in(const Pool& pool, const NodeInfo& node) {
    if (!pool.nodes.empty() && !is_meant(pool.nodes, node.id)) return false;
    return pool.type.empty() || has_device(node, pool.type);
}

const Pool* find_pool(const ClusterState& state, const std::string& name) {
    const auto found =
        std::find_if(state.pools.begin(), state.pools.end(), [&](const Pool& pool) { return pool.name == name; });
    return found == state.pools.end() ? nullptr : &*found;
}

Sharing sharing_of(const ClusterState& state, const NodeInfo& node) {
    Sharing sharing;
    bool any = false;
    for (const Pool& pool : state.pools) {
        if (!is_in(pool, node)) continue;
        sharing.shared = pool.shared && (!any || sharing.shared);
        any = true;
        if (pool.instances > 0)
            sharing.instances = sharing.instances == 0 ? pool.instances : std::min(sharing.instances, pool.instances);
    }
    return sharing;
}

bool may_run_on(const ClusterState& state, const task::NodeWish& wish, const NodeInfo& node) {
    if (!wish.nodes.empty() && !is_meant(wish.nodes, node.id)) return false;
    if (is_meant(wish.avoid, node.id)) return false;
    if (!wish.device_type.empty() && !has_device(node, wish.device_type)) return false;
    if (wish.memory_mib > 0 && memory_of(node) < asked_memory(wish)) return false;
    if (wish.pool.empty()) return true;
    const Pool* pool = find_pool(state, wish.pool);
    return pool != nullptr && is_in(*pool, node);
}

bool is_reserved(const ClusterState& state, const Reservation& reservation, const NodeInfo& node) {
    if (!reservation.nodes.empty() && !is_meant(reservation.nodes, node.id)) return false;
    const Pool* pool = find_pool(state, reservation.pool);
    return reservation.pool.empty() || (pool != nullptr && is_in(*pool, node));
}

Result<void> check_names(const ClusterState& state, const std::vector<std::string>& patterns,
                         const std::string& where) {
    for (const std::string& pattern : patterns) {
        if (std::any_of(state.nodes.begin(), state.nodes.end(),
                        [&](const auto& entry) { return is_meant(pattern, entry.first); }))
            continue;
        std::vector<std::string> known;
        for (const auto& [id, node] : state.nodes) known.push_back(id.value());
        if (known.empty()) return make_error(error_text("node-named-without-nodes"), where, {pattern});
        return with_next(make_error(error_text("node-name-unknown"), where, {pattern}), task::suggest(pattern, known));
    }
    return {};
}

Result<void> check_pool(const ClusterState& state, const std::string& name, const std::string& where) {
    if (name.empty() || find_pool(state, name)) return {};
    std::vector<std::string> known;
    for (const Pool& pool : state.pools) known.push_back(pool.name);
    if (known.empty()) return make_error(error_text("cluster-without-pools"), where, {name});
    return with_next(make_error(error_text("pool-unknown"), where, {name}), task::suggest(name, known));
}

Result<void> check_wish(const ClusterState& state, const task::NodeWish& wish) {
    DIVISI_TRY(check_pool(state, wish.pool, "[place] pool"));
    DIVISI_TRY(check_names(state, wish.nodes, "[place] nodes"));
    DIVISI_TRY(check_names(state, wish.prefer, "[place] prefer"));
    DIVISI_TRY(check_names(state, wish.avoid, "[place] avoid"));
    if (!state.nodes.empty()) DIVISI_TRY(check_template(state, wish));
    if (state.nodes.empty() || std::any_of(state.nodes.begin(), state.nodes.end(), [&](const auto& entry) {
            return may_run_on(state, wish, entry.second.info);
        }))
        return {};
    return make_error(error_text("wish-leaves-no-node"), "[place]");
}

}  // namespace divisi::control::inline state
