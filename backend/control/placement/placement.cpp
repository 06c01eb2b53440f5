// SPDX-License-Identifier: Apache-2.0
#include "backend/control/placement/placement.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <tuple>

#include "backend/control/state/faults.h"
#include "backend/control/types/error_texts.h"

namespace divisi::control::inline placement {
namespace {

constexpr const char* lacks_memory = "has no memory for it";

const Device* processor_of(const NodeInfo& node) {
    for (const Device& device : node.devices)
        if (device.name == "cpu") return &device;
    return nullptr;
}

template <typename K, typename V>
V value_of(const std::map<K, V>& map, const K& key, V otherwise) {
    const auto found = map.find(key);
    return found == map.end() ? otherwise : found->second;
}

bool is_there(const NodeView& node) { return node.state == NodeState::ready || node.state == NodeState::away; }

/// Returns a node's fault score, rounded to steps of half a node loss. One failed instance then does not change the
/// order of nodes.
int fault_level(const NodeFaults& faults, TimePoint now) {
    constexpr double steps_per_loss = 2, most_levels = 64;
    return static_cast<int>(std::min(steps_per_loss * fault_score(faults, now), most_levels));
}

/// Counts the plan's instances on each node.
std::map<NodeId, std::int32_t> counted(const std::vector<NodeId>& nodes) {
    std::map<NodeId, std::int32_t> counts;
    for (const NodeId& node : nodes) ++counts[node];
    return counts;
}

Bytes needed(const PlanSummary& plan, std::int32_t instances) { return instances * (plan.memory + process_memory); }

/// Adds a running instance to the load of its node and host. A standby uses memory but no threads.
void add_running(NodeUse& use, const TaskView& task, std::int32_t stage, const std::string& host, NodeLoad& load) {
    const std::int32_t threads = stage == standby_stage ? 0 : task.threads;
    ++load.instances;
    load.threads += threads;
    load.memory += task.memory + process_memory;
    load.exclusive |= task.exclusive;
    use.threads[host] += threads;
}

}  // namespace

NodeUse use_of(const ClusterState& state) {
    NodeUse use;
    std::map<NodeId, TaskId> last;  // task that was counted last on each node; instances are sorted by task
    for (const auto& [id, instance] : state.instances) {
        const auto task = state.tasks.find(instance.task);
        const auto node = state.nodes.find(instance.node);
        if (task == state.tasks.end() || !task->second.runs() || node == state.nodes.end()) continue;
        if (has_left(task->second, instance)) continue;
        NodeLoad& load = use.nodes[instance.node];
        const auto [counted, first] = last.try_emplace(instance.node, instance.task);
        if (first || counted->second != instance.task) ++load.tasks;
        counted->second = instance.task;
        if (!instance.exited) add_running(use, task->second, instance.stage, node->second.info.host, load);
    }
    for (const auto& [id, task] : state.tasks)
        if (task.phase == TaskPhase::queued)
            for (const auto& [node, instances] : counted(task.nodes)) ++use.nodes[node].awaited;
    return use;
}

bool PlacementRequest::is_blocked_by(const Reservation& reservation) const {
    const bool own = reservation.submitter.empty() ? reservation.task == task : reservation.submitter == submitter;
    if (own || reservation.until <= now) return false;
    return most_seconds == 0 || now + std::chrono::seconds(most_seconds) > reservation.from;
}

Vacancies::Vacancies(const ClusterState& state, const NodeUse& use) : state_(state) {
    std::map<std::string, std::size_t> hosts;
    for (const auto& [id, node] : state.nodes) {
        if (node.state != NodeState::ready) continue;
        const std::string& name = node.info.host;
        const auto [host, fresh] = hosts.try_emplace(name, hosts_.size());
        if (fresh) {
            hosts_.push_back({0, value_of(use.threads, name, 0.0), std::nullopt});
            if (const auto report = use.reports.find(name); report != use.reports.end())
                hosts_.back().report = report->second;
        }
        Place place{&node,
                    value_of(use.nodes, id, NodeLoad{}),
                    sharing_of(state, node.info),
                    0,
                    node.info.memory,
                    host->second,
                    fault_level(node.faults, state.time),
                    {}};
        if (const auto advised = use.advised.find(id); advised != use.advised.end()) place.advice = advised->second;
        if (const Device* processor = processor_of(node.info)) {
            place.cores = processor->cores;
            if (place.memory == 0) place.memory = processor->memory;
            // If a cluster file states shares of the host, the host has as many cores as its largest node.
            hosts_[place.host].cores = std::max(hosts_[place.host].cores, place.cores);
        }
        for (const auto& [number, reservation] : state.reservations)
            if (is_reserved(state, reservation, node.info)) place.reservations.push_back(&reservation);
        open_ += is_open(place) ? 1 : 0;
        places_.push_back(std::move(place));
    }
}

Vacancies::Place* Vacancies::find(const NodeId& node) {
    const auto found = std::lower_bound(places_.begin(), places_.end(), node,
                                        [](const Place& place, const NodeId& id) { return place.node->info.id < id; });
    return found == places_.end() || found->node->info.id != node ? nullptr : &*found;
}
const Vacancies::Place* Vacancies::find(const NodeId& node) const { return const_cast<Vacancies*>(this)->find(node); }

Bytes Vacancies::memory_free(const Place& place) const {
    const auto& report = hosts_[place.host].report;
    return report ? report->memory_free : place.memory;
}

bool Vacancies::is_open(const Place& place) { return own_shortage(place, PlanSummary{}, 1) == nullptr; }

bool Vacancies::is_blocked_by_reservation(const Place& place, const PlacementRequest& request) const {
    return std::any_of(place.reservations.begin(), place.reservations.end(),
                       [&](const Reservation* reservation) { return request.is_blocked_by(*reservation); });
}

const char* Vacancies::shortage(const Place& place, const PlanSummary& plan, const PlacementRequest& request,
                                std::int32_t instances) const {
    if (place.node->draining) return "is drained by an operator";
    const bool drained = place.advice && place.advice->drain && !place.advice->without.contains(request.task);
    if (drained) return "is drained on a module's advice";
    if (const char* lacking = own_shortage(place, plan, instances)) return lacking;
    const auto& report = hosts_[place.host].report;
    const bool lacks = place.load.tasks > 0 && report && report->memory_free < needed(plan, instances);
    return lacks ? lacks_memory : nullptr;
}

const char* Vacancies::own_shortage(const Place& place, const PlanSummary& plan, std::int32_t instances) {
    const NodeLoad& load = place.load;
    if (load.tasks == 0) return nullptr;
    if (!place.sharing.shared) return "has a task";
    if (load.exclusive) return "has a task that uses it exclusively";
    if (plan.wish.exclusive) return "has tasks, and this task needs the node exclusively";
    if (place.sharing.instances > 0 && load.instances + instances > place.sharing.instances)
        return "has as many instances as its pool allows";
    if (place.cores > 0 && load.threads + instances * plan.threads > place.cores) return "has no cores for it";
    return place.memory > 0 && load.memory + needed(plan, instances) > place.memory ? lacks_memory : nullptr;
}

/// Assigns the stages of one plan to nodes, one after the other.
struct Vacancies::StagePlacer {
    const Vacancies& free;
    const PlanSummary& plan;
    const PlacementRequest& request;
    std::vector<std::size_t> allowed;  ///< indices into places_
    std::vector<std::int32_t> used;    ///< number of this plan's instances, by place
    std::vector<double> threads;       ///< busy threads including this plan's, by host
    std::vector<bool> preferred;       ///< whether each place is preferred

    StagePlacer(const Vacancies& on, const PlanSummary& what, const PlacementRequest& whom)
        : free(on), plan(what), request(whom), used(on.places_.size()), preferred(on.places_.size()) {
        for (std::size_t i = 0; i < on.places_.size(); ++i) {
            const NodeInfo& node = on.places_[i].node->info;
            if (!on.places_[i].node->draining && may_run_on(on.state_, plan.wish, node)) allowed.push_back(i);
            preferred[i] = is_meant(plan.wish.prefer, node.id);
        }
        for (const Host& host : on.hosts_) threads.push_back(host.busy());
    }

    /// Marks a place as used, because the task file names that place for a stage.
    void leave(const Place* place) {
        if (place != nullptr) ++used[static_cast<std::size_t>(place - free.places_.data())];
    }
    std::vector<NodeId> names() const {
        std::vector<NodeId> names;
        for (const std::size_t at : allowed) names.push_back(free.places_[at].node->info.id);
        return names;
    }

    bool has_room(std::size_t at) const {
        const Place& place = free.places_[at];
        return free.shortage(place, plan, request, used[at] + 1) == nullptr &&
               !free.is_blocked_by_reservation(place, request);
    }

    auto rank(std::size_t at) const {
        const Place& place = free.places_[at];
        const Host& host = free.hosts_[place.host];
        const Bytes memory_free = free.memory_free(place);
        const bool crowded = host.cores > 0 && host.cores < threads[place.host] + plan.threads;
        // Round the value, so that small fluctuations do not change the order.
        const long cores = std::lround(host.cores - host.busy());
        const int memory = std::bit_width(static_cast<std::uint64_t>(std::max(memory_free, Bytes{0})));
        const bool avoided = place.advice && !place.advice->without.contains(request.task);
        return std::tuple(!has_room(at), used[at], !preferred[at], avoided, place.load.tasks + place.load.awaited,
                          crowded, memory_free < scarce_memory && host.report.has_value(), place.faults, -cores,
                          -memory, at);
    }

    /// Returns the place of the next stage. Returns none if every allowed place is used and no shared one has room;
    /// further stages then cycle through the used places. A shared node with room gets a second stage before a node
    /// without room gets a first stage. `each_once`: no place is returned twice.
    std::optional<std::size_t> next(bool each_once) {
        std::optional<decltype(rank(0))> best;
        for (const std::size_t at : allowed) {
            const bool again = !each_once && free.places_[at].sharing.shared && has_room(at);
            if (used[at] > 0 && !again) continue;
            if (const auto ranked = rank(at); !best || ranked < *best) best = ranked;
        }
        if (!best) return std::nullopt;
        const std::size_t taken = std::get<std::tuple_size_v<decltype(rank(0))> - 1>(*best);
        ++used[taken];
        threads[free.places_[taken].host] += plan.threads;
        return taken;
    }
};

std::vector<NodeId> Vacancies::in_turn(const PlanSummary& plan, const PlacementRequest& request,
                                       std::size_t most) const {
    StagePlacer turn(*this, plan, request);
    std::vector<NodeId> nodes;
    while (nodes.size() < most) {
        const auto next = turn.next(true);
        if (!next) break;
        nodes.push_back(places_[*next].node->info.id);
    }
    return nodes;
}

Result<NodeId> Vacancies::named(const std::string& name, const char* key) const {
    if (find(NodeId(name)) != nullptr) return NodeId(name);
    std::string known;
    for (const Place& place : places_) known += (known.empty() ? "" : ", ") + place.node->info.id.value();
    return make_error(error_text("no-ready-node-of-name"), std::string("[place] ") + key, {name, known});
}

Result<std::vector<NodeId>> Vacancies::place(const PlanSummary& plan, const PlacementRequest& request) const {
    StagePlacer turn(*this, plan, request);
    if (turn.allowed.empty())
        return make_error(places_.empty() ? error_text("no-node-ready") : error_text("no-allowed-node-ready"),
                          "cluster " + state_.name);
    for (const std::string& name : plan.stage_nodes) turn.leave(find(NodeId(name)));
    std::vector<NodeId> nodes, round;  // node of each stage; the used nodes, which further stages use in turn
    std::size_t rounds = 0;
    const auto take = [&](const std::string& wanted, const char* key) -> Result<void> {
        if (!wanted.empty()) {
            DIVISI_ASSIGN(NodeId node, named(wanted, key));
            nodes.push_back(std::move(node));
        } else if (const auto next = turn.next(false)) {
            round.push_back(places_[*next].node->info.id);
            nodes.push_back(round.back());
        } else {
            if (round.empty()) round = turn.names();
            nodes.push_back(round[rounds++ % round.size()]);
        }
        return {};
    };
    for (std::size_t stage = 0; stage < static_cast<std::size_t>(plan.stages); ++stage)
        DIVISI_TRY(take(stage < plan.stage_nodes.size() ? plan.stage_nodes[stage] : std::string(), "stages"));
    for (std::int32_t i = 0; i < plan.data_apart(); ++i) DIVISI_TRY(take(plan.data_node, "data"));
    return nodes;
}

const Reservation* Vacancies::blocking_reservation(const std::vector<NodeId>& nodes,
                                                   const PlacementRequest& request) const {
    for (const NodeId& node : nodes)
        if (const Place* place = find(node))
            for (const Reservation* reservation : place->reservations)
                if (request.is_blocked_by(*reservation)) return reservation;
    return nullptr;
}

std::optional<std::string> Vacancies::obstacle(const std::vector<NodeId>& nodes, const PlanSummary& plan,
                                               const PlacementRequest& request) {
    for (const auto& [node, instances] : counted(nodes)) {
        const Place* place = find(node);
        if (place == nullptr) return node.value() + " is away";
        const char* lacking = shortage(*place, plan, request, instances);
        waits_for_memory_ |= lacking == lacks_memory;
        if (lacking != nullptr) return node.value() + " " + lacking;
    }
    const Reservation* kept = blocking_reservation(nodes, request);
    if (kept == nullptr) return std::nullopt;
    return "reservation " + std::to_string(kept->number) + " keeps a node for " +
           (kept->submitter.empty() ? "task " + kept->task.value() : kept->submitter);
}

void Vacancies::take(const std::vector<NodeId>& nodes, const PlanSummary& plan) {
    for (const auto& [node, instances] : counted(nodes)) {
        Place* place = find(node);
        if (place == nullptr) continue;
        const bool open = is_open(*place);
        const double threads = static_cast<double>(instances) * plan.threads;
        ++place->load.tasks;
        place->load.instances += instances;
        place->load.threads += threads;
        place->load.memory += needed(plan, instances);
        place->load.exclusive |= plan.wish.exclusive;
        hosts_[place->host].threads += threads;
        if (open && !is_open(*place)) --open_;
    }
}

std::optional<NodeStanding> Vacancies::standing(const NodeId& node) const {
    const Place* place = find(node);
    if (place == nullptr) return std::nullopt;
    const Host& host = hosts_[place->host];
    return NodeStanding{node,
                        place->load.tasks,
                        place->load.instances,
                        std::max(host.cores - host.busy(), 0.0),
                        memory_free(*place),
                        place->sharing.shared,
                        place->load.exclusive,
                        fault_score(place->node->faults, state_.time)};
}

void Vacancies::ignore_advice() {
    for (Place& place : places_) place.advice.reset();
}

Result<std::vector<NodeId>> place_plan(const ClusterState& state, const PlanSummary& plan) {
    return Vacancies(state, use_of(state)).place(plan, {});
}

std::string host_label(const ClusterState& state, const NodeInfo& node) {
    if (node.machine.empty()) return node.host;
    const std::string labels[] = {node.host, node.host + "~" + node.machine.substr(0, 4),
                                  node.host + "~" + node.machine};
    const auto any = [&](const std::string& label, bool same_machine) {
        return std::any_of(state.nodes.begin(), state.nodes.end(), [&](const auto& entry) {
            const NodeInfo& other = entry.second.info;
            return other.id != node.id && is_there(entry.second) && other.host == label &&
                   (other.machine == node.machine) == same_machine;
        });
    };
    // Measurements are stored by label, so a machine keeps its earlier label.
    const auto had = [&](const std::string& label) {
        return std::any_of(state.nodes.begin(), state.nodes.end(), [&](const auto& entry) {
            return entry.second.info.machine == node.machine && entry.second.info.host == label;
        });
    };
    for (const std::string& label : labels)
        if (any(label, true)) return label;
    for (const std::string& label : labels)
        if (had(label) && !any(label, false)) return label;
    for (const std::string& label : labels)
        if (!any(label, false)) return label;
    return labels[2];
}

}  // namespace divisi::control::inline placement
