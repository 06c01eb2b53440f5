// SPDX-License-Identifier: Apache-2.0
#include "backend/control/state/state.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <type_traits>
#include <utility>

#include "backend/control/state/curve.h"
#include "backend/control/state/faults.h"
#include "backend/control/state/shares.h"
#include "backend/control/state/version_lineage.h"

namespace divisi::control::inline state {
namespace {

template <typename T>
void push_bounded(std::deque<T>& items, const T& item, std::size_t limit) {
    items.push_back(item);
    if (items.size() > limit) items.pop_front();
}

/// Returns the state of a unit whose instance is in `state`.
UnitState unit_state(InstanceState state) {
    switch (state) {
        case InstanceState::running: return UnitState::running;
        case InstanceState::finished:
        case InstanceState::stopped: return UnitState::done;
        case InstanceState::failed: return UnitState::failed;
        default: return UnitState::waiting;
    }
}

/// Returns an id's name and number. The number 0 means that the id has no number, so the orchestrator did not create
/// the id.
std::pair<std::string, std::uint64_t> split_id(const TaskId& id) {
    const std::string& text = id.value();
    const std::size_t dash = text.rfind('-');
    std::uint64_t number = 0;
    if (dash == std::string::npos) return {text, 0};
    const auto [end, error] = std::from_chars(text.data() + dash + 1, text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size()) return {text, 0};
    return {text.substr(0, dash), number};
}

constexpr const char* restarted = "the orchestrator was restarted";

/// Returns the newest incarnation of each SID that is not retired. With `standbys`, returns only standbys, otherwise
/// only other instances.
std::vector<const InstanceView*> newest_of(const ClusterState& state, const TaskId& task, bool standbys) {
    std::map<Sid, const InstanceView*> newest;
    // The ids of instances begin with the task's id.
    for (auto at = state.instances.lower_bound(InstanceId(task.value() + "/"));
         at != state.instances.end() && at->second.task == task; ++at) {
        if (at->second.retired || (at->second.stage == standby_stage) != standbys) continue;
        const InstanceView*& known = newest[at->second.sid];
        if (!known || incarnation_of(known->id) < incarnation_of(at->first)) known = &at->second;
    }
    std::vector<const InstanceView*> found;
    for (const auto& [sid, instance] : newest) found.push_back(instance);
    return found;
}

class Fold {
public:
    Fold(ClusterState& state, const Event& event) : state_(state), time_(event.time), sequence_(event.sequence) {}

    void operator()(const ClusterStarted& e) {
        state_.name = e.name;
        state_.version = e.version;
        state_.stated_links = e.links;
        // Device leases ended with the restart; the new revision informs watchers of the registry.
        if (!state_.devices.empty() && state_.registry.epoch != 0) ++state_.registry.revision;
        state_.devices.clear();
        state_.pools = e.pools;
        state_.queue = e.queue;
        // Nodes and instances outlive their orchestrator and reconnect to it.
        for (auto& [id, node] : state_.nodes)
            if (node.state == NodeState::ready || node.state == NodeState::away) {
                node.state = NodeState::away;
                node.since = time_;
                node.reason = restarted;
            }
    }
    void operator()(const NodeJoined& e) {
        NodeView& node = state_.nodes[e.node.id];
        node = {e.node, NodeState::ready, time_, {}, e.key, node.faults, node.draining, node.drained_by};
    }
    void operator()(const NodeEnded& e) {
        if (const auto found = state_.nodes.find(e.node); found != state_.nodes.end()) {
            const bool restart = found->second.reason == restarted;  // the node is not at fault
            if (e.state == NodeState::lost && !restart) add_loss(found->second.faults, time_);
            found->second.state = e.state;
            found->second.since = time_;
            found->second.reason = e.reason;
        }
    }
    void operator()(const TaskSubmitted& e) {
        TaskView task;
        task.id = e.task;
        task.name = e.name;
        task.text = e.text;
        task.folder = e.folder;
        task.skeleton = e.skeleton;
        task.files = e.files;
        task.submitted_by = e.submitted_by;
        task.priority = e.priority;
        task.nodes = e.nodes;
        task.client = e.client;
        task.submitter = e.submitter;
        task.parent = e.parent;
        begin_share(state_, e.submitter, time_);
        task.submitted = time_;
        task.submitted_at = sequence_;
        remember_number(e.task);
        state_.tasks[e.task] = std::move(task);
    }
    void operator()(const TaskPlanned& e) {
        if (TaskView* task = find(e.task)) {
            task->generation = task->plan_since = e.generation;
            task->cuts = e.cuts;
            task->steps = e.steps;
            task->batch = e.batch;
            task->model = e.model;
            task->plan_hash = e.plan_hash;
            task->units = e.units;
            task->threads = std::max(e.threads, 1);
            task->memory = e.memory;
            task->exclusive = e.exclusive;
            task->most_seconds = e.most_seconds;
            task->group = e.group;
            task->checkpoint = e.checkpoint;
            task->answer = e.answer;
        }
    }
    void operator()(const InstancePlaced& e) {
        TaskView* task = find(e.task);
        if (!task) return;  // the submission could not be read from the log
        if (task->placed == TimePoint{}) task->placed = time_;
        InstanceView& instance = state_.instances[e.instance] = {};
        instance.id = e.instance;
        instance.task = e.task;
        instance.sid = e.sid;
        instance.node = e.node;
        instance.stage = e.stage;
        instance.since = time_;
        instance.generation = e.generation;
        for (UnitView& unit : task->units)
            if (sid_of(unit.instance) == e.sid) {
                unit.instance = e.instance;
                unit.state = UnitState::waiting;
            }
    }
    void operator()(const InstanceChanged& e) {
        InstanceView* instance = find(e.instance);
        if (!instance) return;
        const auto node = state_.nodes.find(instance->node);
        const bool there = node != state_.nodes.end() && node->second.state == NodeState::ready;
        if (e.state == InstanceState::failed && instance->state != e.state && there)
            add_failure(node->second.faults, time_);
        change(*instance, e.state, e.detail);
    }
    void operator()(const InstanceJoined& e) {
        InstanceView* instance = find(e.instance);
        if (!instance) return;
        instance->joined = true;
        instance->process = e.process;
        instance->data_endpoint = e.data_endpoint;
        instance->data_key = e.data_key;
        change(*instance, InstanceState::registered, "");
    }
    void operator()(const InstanceLoaded& e) {
        InstanceView* instance = find(e.instance);
        if (!instance) return;
        instance->eval_microbatches = e.eval_microbatches;
        instance->samples = e.samples;
        TaskView* task = find(instance->task);
        if (task && task->steps == 0 && task->batch > 0) task->steps = (e.samples + task->batch - 1) / task->batch;
        change(*instance, InstanceState::prepared, "");
    }
    void operator()(const InstanceEnded& e) {
        InstanceView* instance = find(e.instance);
        if (!instance) return;
        instance->exited = true;
        if (instance->state != InstanceState::failed) change(*instance, InstanceState::stopped, e.detail);
    }
    void operator()(const PhaseChanged& e) {
        if (TaskView* task = find(e.task)) {
            const bool of_the_cycle = e.phase == TaskPhase::telemetry || e.phase == TaskPhase::policy;
            if (e.phase == TaskPhase::telemetry) ++task->passages;
            if (of_the_cycle) task->adapting = e.phase == TaskPhase::policy;
            task->phase = of_the_cycle ? TaskPhase::exchange : e.phase;
            task->phase_detail = e.detail;
            // Older logs have no TaskQueued, and use the phase detail to state what a queued task waits for.
            if (e.phase == TaskPhase::queued)
                task->queue = e.detail == to_string(QueueState::files) ? QueueState::files : QueueState::nodes;
            if (e.phase == TaskPhase::exchange && task->started == TimePoint{}) task->started = time_;
        }
    }
    void operator()(const TaskQueued& e) {
        if (TaskView* task = find(e.task)) task->queue = e.state;
    }
    void operator()(const TaskEnding& e) {
        if (TaskView* task = find(e.task)) {
            task->phase = TaskPhase::termination;
            task->phase_detail = e.reason;
            task->ending = Ending{e.outcome, e.error};
        }
    }
    void operator()(const StepDone& e) {
        if (TaskView* task = find(e.task)) {
            task->step = e.record.step;
            replay_from(task->history, e.record.step);
            add_to_curve(task->history, e.record);
        }
    }
    void operator()(const Evaluated& e) {
        if (TaskView* task = find(e.task)) {
            replay_from(task->evaluations, e.record.step);
            add_to_curve(task->evaluations, e.record);
        }
    }
    void operator()(const WeightsStored& e) {
        TaskView* task = find(e.task);
        if (!task) return;
        const auto same = [&](const WeightsStored& w) { return w.instance == e.instance; };
        std::erase_if(task->weights, same);
        task->weights.push_back(e);
    }
    void operator()(const CheckpointCommitted& e) {
        TaskView* task = find(e.task);
        if (!task) return;
        auto& kept = task->checkpoints;
        kept.push_back(e.checkpoint);
        const auto keep = static_cast<std::size_t>(std::max<std::int64_t>(task->checkpoint.keep, 1));
        std::size_t snapshots = 0;
        for (const Checkpoint& one : kept) snapshots += one.parts.size();
        for (; kept.size() > keep || (kept.size() > 1 && snapshots > most_snapshots); kept.erase(kept.begin()))
            snapshots -= kept.front().parts.size();
    }
    void operator()(const TaskRecovers& e) {
        TaskView* task = find(e.task);
        if (!task) return;
        task->generation = e.generation;
        begin_after(*task, e.step);
        task->phase_detail = e.reason;
        ++task->recovered;
        task->recoveries.push_back({e.generation, e.step, time_, e.culprit, e.reason});
        if (task->recoveries.size() > most_recoveries) task->recoveries.erase(task->recoveries.begin());
        // Later checkpoints will be made again.
        std::erase_if(task->checkpoints, [&](const Checkpoint& one) { return one.step > e.step; });
    }
    void operator()(const TaskRecut& e) {
        TaskView* task = find(e.task);
        if (!task) return;
        begin_after(*task, e.step);
        task->phase_detail = "re-cut";
        task->advice.reset();
        if (task->text != e.text) task->text_before = std::exchange(task->text, e.text);  // else only the nodes change
        task->origins = e.origins;
        // Keep only the checkpoint from which the new plan starts, since only that checkpoint is on all nodes of the
        // new plan.
        std::erase_if(task->checkpoints, [&](const Checkpoint& one) { return one.step != e.step; });
        for (Checkpoint& one : task->checkpoints) bring_to_stages(one, e.origins);
        const auto stages = static_cast<std::int32_t>(e.origins.size());
        std::int32_t stages_before = 0;
        for (auto& [id, instance] : state_.instances) {
            if (instance.task != e.task || instance.retired) continue;
            stages_before = std::max(stages_before, instance.stage + 1);
            instance.retired = instance.stage >= stages;
        }
        move_files(*task, stages_before, e.origins);
    }
    void operator()(const TaskEnded& e) {
        if (TaskView* task = find(e.task)) {
            charge_share(state_, *task, time_);
            task->phase = TaskPhase::ended;
            task->held = false;
            task->ending.reset();
            task->phase_detail.clear();
            task->checkpoints.clear();
            task->advice.reset();
            task->outcome = e.outcome;
            task->error = e.error;
            task->ended = time_;
            task->ended_at = sequence_;
            forget_oldest_ended();
            forget_versions(state_);
        }
    }
    void operator()(const ExceptionRaised& e) {
        if (find(e.entry.task)) state_.exceptions[e.entry.number] = e.entry;
    }
    void operator()(const ExceptionClosed& e) { state_.exceptions.erase(e.number); }
    void operator()(const VersionMade& e) {
        state_.last_version = std::max(state_.last_version, e.version.number);
        if (find(e.version.task)) state_.versions[e.version.number] = e.version;
    }
    void operator()(const VersionDropped& e) {
        const auto found = state_.versions.find(e.number);
        if (found == state_.versions.end()) return;
        found->second.kept = false;
        TaskView* task = find(found->second.task);
        if (found->second.checkpoint) found->second.parts.clear();
        else if (task) task->weights.clear();
        forget_versions(state_);
    }
    void operator()(const AlertRaised& e) {
        state_.alerts[e.alert.number] = e.alert;
        forget_oldest_alerts();
    }
    void operator()(const AlertCleared& e) {
        const auto alert = state_.alerts.find(e.number);
        if (alert == state_.alerts.end()) return;
        alert->second.cleared = time_;
        alert->second.why = e.why;
        forget_oldest_alerts();
    }
    void operator()(const KeyChanged& e) {
        if (e.revoked) state_.keys.erase(e.public_key);
        else state_.keys[e.public_key] = e;
    }
    void operator()(const Noted&) {}
    void operator()(const TaskHeld& e) {
        if (TaskView* task = find(e.task)) task->held = e.held;
    }
    void operator()(const ReservationMade& e) { state_.reservations[e.reservation.number] = e.reservation; }
    void operator()(const ReservationEnded& e) { state_.reservations.erase(e.number); }
    void operator()(const PolicyChanged& e) {
        state_.policies[e.policy.version] = e.policy;
        for (auto& [id, task] : state_.tasks)
            if (task.runs() && task.phase != TaskPhase::registration) task.adapting = true;
        if (state_.policies.size() > most_policy_versions) forget_policy();
    }
    void operator()(const LinkMeasured& e) {
        state_.links[key_of(e)] = {e, time_};
        if (state_.links.size() <= link_limit) return;
        const auto older = [](const auto& a, const auto& b) { return a.second.measured < b.second.measured; };
        state_.links.erase(std::min_element(state_.links.begin(), state_.links.end(), older));
    }

    void operator()(const DeviceJoined& e) { state_.devices[e.device.name] = e.device; }
    void operator()(const DeviceLeft& e) { state_.devices.erase(e.name); }
    void operator()(const DeviceLease& e) { reach(e.epoch, e.revision); }

    void operator()(const ServiceJoined& e) {
        reach(e.epoch, e.service.revision);
        state_.services[e.service.said.sid] = e.service;
    }
    void operator()(const ServiceLeft& e) {
        reach(e.epoch, e.revision);
        state_.services.erase(e.sid);
    }

    void operator()(const LeaseGranted& e) {
        LeaseView& view = state_.leases[e.lease.number] = {};
        view.lease = e.lease;
        view.granted = time_;
        state_.lease_book.leases = std::max(state_.lease_book.leases, e.lease.number);
    }
    void operator()(const LeaseActivated& e) {
        if (LeaseView* lease = find(e.lease)) {
            lease->state = LeaseState::active;
            lease->activated = time_;
            lease->activated_by = e.by;
        }
    }
    void operator()(const LeaseFinished& e) {
        if (LeaseView* lease = find(e.lease)) {
            lease->state = LeaseState::finishing;
            lease->finished = time_;
            lease->reason = e.reason;
        }
    }
    void operator()(const LeaseMeasured& e) {
        if (LeaseView* lease = find(e.lease)) {
            lease->usage = e.usage;
            lease->measured = e.measured;
        }
    }
    void operator()(const LeaseReclaimed& e) {
        state_.lease_book.receipts = std::max(state_.lease_book.receipts, e.receipt.number);
        state_.lease_book.last_receipt = e.hash;
        LeaseView* lease = find(e.receipt.lease.number);
        if (!lease) return;
        lease->state = LeaseState::reclaimed;
        lease->reclaimed = e.receipt.reclaimed;
        lease->reason = e.receipt.reason;
        lease->usage = e.receipt.usage;
        lease->measured = e.receipt.measured;
        lease->receipt = e.receipt.number;
        lease->presumed = e.receipt.presumed;
        if (!find(lease->lease.task)) state_.leases.erase(e.receipt.lease.number);  // the task was forgotten meanwhile
    }
    void operator()(const LeaseTakenOver& e) {
        LeaseView& view = state_.leases[e.lease.number] = {};
        view.lease = e.lease;
        view.granted = time_;
    }
    void operator()(const ReceiptKeyChanged& e) { state_.lease_book.key = e.public_key; }
    void operator()(const RecutAdvised& e) {
        if (TaskView* task = find(e.advice.task)) task->advice = e.advice;
    }
    void operator()(const DrainChanged& e) {
        if (const auto found = state_.nodes.find(e.node); found != state_.nodes.end()) {
            found->second.draining = e.drains;
            found->second.drained_by = e.drains ? e.by : "";
        }
    }

private:
    /// Sets the task back to this step, for its next generation.
    static void begin_after(TaskView& task, std::int64_t step) {
        task.from_step = task.step = step;
        task.phase = TaskPhase::registration;
        task.weights.clear();
    }
    /// Records that each stage's node now has the snapshots that the stage starts from.
    static void bring_to_stages(Checkpoint& checkpoint, const std::vector<StageOrigin>& origins) {
        for (const StageOrigin& origin : origins)
            for (SegmentSnapshot& part : checkpoint.parts)
                if (std::ranges::count(origin.from, part.stage) > 0 && std::ranges::count(part.nodes, origin.node) == 0)
                    part.nodes.push_back(origin.node);
    }
    /// Moves the task's files to the nodes of the new stages. The entries of data instances come last and stay
    /// unchanged.
    static void move_files(TaskView& task, std::int32_t stages_before, const std::vector<StageOrigin>& origins) {
        if (std::ssize(task.nodes) < stages_before) return;
        std::vector<NodeId> nodes;
        for (const StageOrigin& origin : origins) nodes.push_back(origin.node);
        nodes.insert(nodes.end(), task.nodes.begin() + stages_before, task.nodes.end());
        task.nodes = std::move(nodes);
    }
    TaskView* find(const TaskId& id) {
        const auto found = state_.tasks.find(id);
        return found == state_.tasks.end() ? nullptr : &found->second;
    }
    /// Removes the records of steps that a new generation repeats.
    template <typename Record>
    static void replay_from(std::deque<Record>& curve, std::int64_t step) {
        while (!curve.empty() && curve.back().step >= step) curve.pop_back();
    }
    LeaseView* find(std::uint64_t lease) {
        const auto found = state_.leases.find(lease);
        return found == state_.leases.end() ? nullptr : &found->second;
    }
    InstanceView* find(const InstanceId& id) {
        const auto found = state_.instances.find(id);
        return found == state_.instances.end() ? nullptr : &found->second;
    }
    void change(InstanceView& instance, InstanceState state, const std::string& detail) {
        instance.state = state;
        instance.since = time_;
        instance.detail = detail;
        if (TaskView* task = find(instance.task))
            for (UnitView& unit : task->units)
                if (unit.instance == instance.id && unit.state != UnitState::failed) unit.state = unit_state(state);
    }
    /// Forgets one or two policy versions. The SMO's frequent trials must not displace versions that operators set. Of
    /// consecutive SMO versions, only the last one is needed to show who changed which setting. The oldest kept
    /// version is the SMO's only if no operator's version came before it.
    void forget_policy() {
        auto& policies = state_.policies;
        const auto own = [](const auto& entry) { return entry.second.author == smo_author; };
        const auto row = std::adjacent_find(policies.begin(), policies.end(),
                                            [&](const auto& a, const auto& b) { return own(a) && own(b); });
        if (row != policies.end()) {
            policies.erase(row);
            return;
        }
        const bool operators = !own(*policies.begin());
        policies.erase(policies.begin());
        if (operators && own(*policies.begin())) policies.erase(policies.begin());
    }
    /// Returns the tasks that must not be forgotten: tasks with a kept model or an exception. The result also
    /// includes tasks whose exception follows at the end of this orchestrator step, in which all events have the same
    /// time.
    std::set<TaskId> pinned() const {
        std::set<TaskId> tasks;
        for (const auto& [number, version] : state_.versions)
            if (version.kept) tasks.insert(version.task);
        for (const auto& [number, entry] : state_.exceptions) tasks.insert(entry.task);
        for (const auto& [id, task] : state_.tasks)
            if (task.outcome == Outcome::failed && task.ended == time_) tasks.insert(id);
        return tasks;
    }
    /// Forgets ended tasks, oldest first by sequence, until the remaining tasks are within the limits. The newest task
    /// stays. Tasks with an exception or a model version also stay; separate limits apply to them.
    void forget_oldest_ended() {
        const std::set<TaskId> stay = pinned();
        std::vector<std::pair<std::uint64_t, TaskId>> ended;
        std::size_t bytes = 0;
        for (const auto& [id, task] : state_.tasks) {
            if (!task.over() || stay.contains(id)) continue;
            ended.emplace_back(task.ended_at, id);
            bytes += kept_bytes(task);
        }
        std::sort(ended.begin(), ended.end());
        std::size_t count = ended.size();
        for (const auto& [sequence, id] : ended) {
            if (count <= 1 || (count <= ended_task_limit && bytes <= ended_task_bytes)) return;
            --count;
            bytes -= kept_bytes(state_.tasks.at(id));
            std::erase_if(state_.instances, [&, task = id](const auto& entry) { return entry.second.task == task; });
            std::erase_if(state_.leases, [&, task = id](const auto& entry) {
                return entry.second.lease.task == task && !entry.second.open();
            });
            state_.tasks.erase(id);
        }
    }
    /// Forgets the oldest cleared alerts. The orchestrator itself limits the number of raised alerts.
    void forget_oldest_alerts() {
        for (auto at = state_.alerts.begin(); at != state_.alerts.end() && state_.alerts.size() > most_alerts;)
            at = at->second.stands() ? std::next(at) : state_.alerts.erase(at);
    }
    /// Records the registry's epoch and revision. A new epoch clears all services, since the new registry knows no
    /// service yet.
    void reach(mesh::Epoch epoch, mesh::Revision revision) {
        RegistryMark& mark = state_.registry;
        if (mark.epoch != epoch) {
            state_.services.clear();
            mark = {epoch, 0};
        }
        mark.revision = std::max(mark.revision, revision);
    }

    void remember_number(const TaskId& id) {
        const auto [name, number] = split_id(id);
        if (number == 0) return;
        std::uint64_t& last = state_.numbers.try_emplace(name, TaskNumber{name, 0}).first->second.last;
        last = std::max(last, number);
        if (state_.numbers.size() <= most_task_names) return;
        const auto smaller = [](const auto& a, const auto& b) {
            return !a.first.empty() && (b.first.empty() || a.second.last < b.second.last);
        };
        const auto least = std::min_element(state_.numbers.begin(), state_.numbers.end(), smaller);
        const std::uint64_t floor = least->second.last;
        state_.numbers.erase(least);
        TaskNumber& rest = state_.numbers[std::string()];
        rest.last = std::max(rest.last, floor);
    }

    ClusterState& state_;
    TimePoint time_;
    std::uint64_t sequence_;
};

}  // namespace

bool has_left(const TaskView& task, const InstanceView& instance) {
    return instance.exited && (instance.stage == standby_stage || instance.generation < task.generation);
}

/// Estimates the memory of a task. Must be cheap: it runs for all kept tasks whenever a task ends.
std::size_t kept_bytes(const TaskView& task) {
    constexpr std::size_t record = 256;  // including the strings in a record
    const std::size_t heads = task.history.empty() ? 0 : task.history.back().heads.size();
    return task.text.size() + task.text_before.size() +
           record * (task.units.size() + task.files.size() + task.cuts.size() + task.weights.size()) +
           sizeof(StepRecord) * (1 + heads) * (task.history.size() + task.evaluations.size());
}

const ExceptionEntry* exception_of(const ClusterState& state, const TaskId& task) {
    const auto found = std::ranges::find(state.exceptions, task, [](const auto& one) { return one.second.task; });
    return found == state.exceptions.end() ? nullptr : &found->second;
}

LinkKey key_of(const LinkMeasured& link) { return {link.from_host, link.to_host, link.transport}; }

void apply(ClusterState& state, const Event& event) {
    if (event.sequence != 0 && event.sequence <= state.sequence) return;
    visit(Fold(state, event), event.body);
    state.sequence = event.sequence;
    state.time = event.time;
    // Keep these frequent events out of `recent`, since they would displace all other events.
    const auto again = []<typename E>(const E&) {
        return std::is_same_v<E, StepDone> || std::is_same_v<E, LeaseMeasured> || std::is_same_v<E, ServiceJoined> ||
               std::is_same_v<E, ServiceLeft> || std::is_same_v<E, DeviceLease>;
    };
    if (!visit(again, event.body)) push_bounded(state.recent, line(event), recent_limit);
}

std::vector<const InstanceView*> instances_of(const ClusterState& state, const TaskId& task) {
    return newest_of(state, task, false);
}

std::vector<const InstanceView*> standbys_of(const ClusterState& state, const TaskId& task) {
    return newest_of(state, task, true);
}

bool stands_by(const InstanceView& instance) {
    return instance.stage == standby_stage && !instance.exited &&
           (instance.state < InstanceState::running || instance.state == InstanceState::standby);
}

InstanceId next_instance(const ClusterState& state, const Sid& sid) {
    Incarnation last = 0;
    for (auto at = state.instances.lower_bound(InstanceId(sid.value()));
         at != state.instances.end() && at->first.value().starts_with(sid.value()); ++at)
        if (at->second.sid == sid) last = std::max(last, incarnation_of(at->first));
    return instance_of(sid, last + 1);
}

bool is_newest(const ClusterState& state, const InstanceId& instance) {
    return incarnation_of(next_instance(state, sid_of(instance))) == incarnation_of(instance) + 1;
}

TaskId next_task_id(const ClusterState& state, const std::string& name) {
    auto known = state.numbers.find(name);
    if (known == state.numbers.end()) known = state.numbers.find(std::string());
    const std::uint64_t last = known == state.numbers.end() ? 0 : known->second.last;
    return TaskId(name + "-" + std::to_string(last + 1));
}

Event line(Event event) {
    if (auto* submitted = get_if<TaskSubmitted>(&event.body)) {
        submitted->text.clear();
        submitted->files.clear();
        submitted->nodes.clear();
    } else if (auto* planned = get_if<TaskPlanned>(&event.body)) {
        planned->cuts.clear();
        std::erase_if(planned->units, [](const UnitView& unit) { return unit.kind != "forward"; });
        for (UnitView& unit : planned->units) unit = {{}, unit.kind, {}, {}, unit.state};
    } else if (auto* joined = get_if<NodeJoined>(&event.body)) {
        joined->node = {joined->node.id, joined->node.mic, joined->node.host};
    } else if (auto* reclaimed = get_if<LeaseReclaimed>(&event.body)) {
        reclaimed->receipt.reason.clear();
        reclaimed->receipt.previous.clear();
        reclaimed->receipt.signature.clear();
        reclaimed->hash.clear();
    } else if (auto* raised = get_if<ExceptionRaised>(&event.body)) {
        raised->entry.tried.clear();
    } else if (auto* advised = get_if<RecutAdvised>(&event.body)) {
        advised->advice.plan.clear();
    } else if (auto* recut = get_if<TaskRecut>(&event.body)) {
        recut->text.clear();
        for (StageOrigin& origin : recut->origins) origin = {recut->from == recut->to ? origin.node : NodeId(), {}};
    } else if (auto* policy = get_if<PolicyChanged>(&event.body)) {
        policy->policy.entries.clear();
    } else if (auto* version = get_if<VersionMade>(&event.body)) {
        version->version.parts.clear();
    }
    return event;
}

}  // namespace divisi::control::inline state
