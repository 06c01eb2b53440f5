// SPDX-License-Identifier: Apache-2.0
// Runs tasks that have left the queue: placement, registration, preparation, training, end.
#include "backend/control/runs/runs.h"

#include <algorithm>

#include "backend/control/protocol/input_limits.h"

namespace divisi::control::inline runs {
namespace {

constexpr Generation first_generation = 1;
constexpr const char* all_done = "all steps done";
/// Data is loaded and preprocessed on the processor, whatever device the stages use.
constexpr const char* data_device = "cpu";

bool is_joined(const InstanceView& instance) { return instance.joined; }
bool is_ready(const InstanceView& instance) { return instance.ready(); }
bool is_gone(const InstanceView& instance) { return instance.exited; }
const InstanceView& as_view(const InstanceView* instance) { return *instance; }

}  // namespace

Sid sid_in(const TaskId& task, std::int32_t stage, std::size_t replica) {
    return Sid(task.value() + "/" + (stage < 0 ? "data" : "stage-" + std::to_string(stage)) + "/" +
               std::to_string(replica));
}

/// Returns the event for a plan. Its units name the instances that are placed next.
TaskPlanned Runs::planned(const TaskId& task, Generation generation, const PlanSummary& plan) const {
    std::vector<UnitView> units;
    for (const PlannedUnit& planned : plan.units) {
        UnitView unit = planned.unit;
        unit.instance = next_instance(context_.state(), sid_in(task, planned.stage));
        units.push_back(std::move(unit));
    }
    return {task,           generation,       plan.cuts,    plan.steps,  plan.batch,          plan.model,
            plan.plan_hash, std::move(units), plan.threads, plan.memory, plan.wish.exclusive, plan.most_seconds,
            plan.group,     plan.checkpoint,  plan.answer};
}

void Runs::start(const TaskId& task, const PlanSummary& plan, const std::vector<NodeId>& nodes) {
    context_.append(PhaseChanged{task, TaskPhase::registration, ""});
    context_.append(planned(task, first_generation, plan));
    std::set<std::string> before;  // tasks whose kept processes this task uses
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const auto stages = static_cast<std::size_t>(plan.stages);
        const std::int32_t data = plan.data_instances > 0 ? dealt_stage : data_stage;
        const std::int32_t stage = i < stages ? static_cast<std::int32_t>(i) : data;
        const Sid sid = sid_in(task, stage, i < stages ? 0 : i - stages);
        const InstanceId from = kept_.take(context_.state().tasks.at(task), stage, nodes[i]);
        if (!from.value().empty()) before.insert(control::task_of(sid_of(from)).value());
        const InstanceId instance = place(task, first_generation, sid, nodes[i], stage, plan.threads, from);
        leases_.grant(instance, terms_on(stage < 0 ? data_device : plan.device, plan.threads));
    }
    for (const std::string& other : before)
        context_.append(Noted{Severity::info, "orchestrator", task.value(),
                              "goes on with the processes of " + other + ", which have its model"});
    runs_[task].deadline = context_.lived() + context_.limits().registration;
}

InstanceId Runs::place(const TaskId& task, Generation generation, const Sid& sid, const NodeId& node,
                       std::int32_t stage, std::int32_t threads, const InstanceId& from) {
    const InstanceId instance = next_instance(context_.state(), sid);
    context_.append(InstancePlaced{task, instance, sid, node, stage, generation});
    if (!can_play(task, node, sid)) return instance;  // node_lost(), node_joined() or a retry follows
    context_.append(InstanceChanged{instance, InstanceState::starting, ""});
    context_.tell(node, StartInstance{task, instance, sid, threads, generation, from});
    if (stage == dealt_stage && begun(task)) expect_data(instance);
    if (stage == standby_stage)
        runs_.at(task).standbys.arriving[instance] =
            context_.lived() + context_.limits().registration + context_.limits().preparation;
    return instance;
}

Runs::Run* Runs::run_of(const InstanceId& instance) {
    const auto view = context_.state().instances.find(instance);
    if (view == context_.state().instances.end() || view->second.retired) return nullptr;
    if (!is_newest(context_.state(), instance)) return nullptr;
    const auto run = runs_.find(view->second.task);
    return run == runs_.end() ? nullptr : &run->second;
}

bool Runs::in_force(const TaskId& task, Generation generation) const {
    return context_.state().tasks.at(task).generation == generation;
}

bool Runs::all(const TaskId& task, bool (*holds)(const InstanceView&)) const {
    return std::ranges::all_of(needed(task), [&](const auto* instance) { return holds(*instance); });
}

Deploy Runs::deploy(const InstanceView& instance) const {
    const TaskView& task = task_of(instance);
    const auto together = instances_of(context_.state(), task.id);
    const bool data_apart = std::any_of(together.begin(), together.end(), [](auto* other) { return other->stage < 0; });
    Deploy deploy;
    deploy.task = task.id;
    deploy.generation = task.generation;
    deploy.instance = instance.id;
    deploy.stage = instance.stage;
    deploy.data = instance.stage != standby_stage && (data_apart ? instance.stage < 0 : instance.stage == 0);
    deploy.text = task.text;
    deploy.folder = task.folder;
    deploy.cuts = task.cuts;
    deploy.plan_hash = task.plan_hash;
    deploy.skeleton = models_.of(task.id);
    deploy.files = task.files;
    deploy.restore = restore(instance);
    if (const StandbyCare& care = runs_.at(task.id).standbys; care.for_recut.contains(instance.id)) {
        deploy.text = care.next_text;
        deploy.plan_hash = care.next_plan;
    }
    if (const Lease* lease = leases_.held_by(instance.id)) {
        deploy.lease = lease->number;
        deploy.share = lease->share;
        deploy.terms = lease->terms;
    }
    return deploy;
}

/// Returns where an instance reaches its peers: directly within its MIC, else at its own MIC's gateway. If no gateway
/// is known now, an instance that has begun keeps the old addresses of peers in other MICs. Otherwise tensors would
/// bypass a gateway that ends and returns.
Peers Runs::peers(const TaskView& task, const InstanceView& of, bool begun) const {
    Peers peers{task.id, task.generation, {}, {}, {}};
    if (const auto gateway = devices_.gateway(of.node)) {
        peers.gateway = gateway->endpoint;
        peers.gateway_key = gateway->key;
    }
    for (const InstanceView* one : instances_of(context_.state(), task.id)) {
        // Data instances do not talk to each other, and come and go.
        if (one->stage == dealt_stage && (of.stage == dealt_stage || !one->joined || one->exited)) continue;
        const auto entry = devices_.entry(of.node, one->node);
        if (begun && !entry && mic_of(of.node) != mic_of(one->node)) continue;
        peers.peers.push_back({one->id, one->sid, one->stage, entry ? entry->endpoint : one->data_endpoint,
                               entry ? entry->key : one->data_key});
    }
    return peers;
}

MicId Runs::mic_of(const NodeId& node) const {
    const auto found = context_.state().nodes.find(node);
    return found == context_.state().nodes.end() ? MicId() : found->second.info.mic;
}

void Runs::tell_peers() {
    for (const auto& [id, run] : runs_) {
        if (!all(id, is_joined)) continue;
        tell_peers(id, true);
    }
}

void Runs::tell_peers(const TaskId& id, bool begun) {
    const TaskView& task = context_.state().tasks.at(id);
    for (const InstanceView* one : instances_of(context_.state(), id)) context_.tell(one->id, peers(task, *one, begun));
}

Begin Runs::begin(const TaskView& task) const {
    Begin begin{task.id, task.generation};
    for (const InstanceView* one : instances_of(context_.state(), task.id)) {
        begin.eval_microbatches = std::max(begin.eval_microbatches, one->eval_microbatches);
        begin.samples = std::max(begin.samples, one->samples);
    }
    return begin;
}

void Runs::handle(const Received& received, const RegisterInstance& message) {
    const InstanceId& id = message.instance;
    const auto view = context_.state().instances.find(id);
    const bool runs = run_of(id) != nullptr;
    const bool known = runs && view->second.joined && !view->second.exited;
    if (!runs || (!known && (task_of(view->second).ending || message.state != InstanceState::starting)))
        return context_.refuse(received, {ErrorCode::not_found, "no running task has this instance", id.value(),
                                          "end it; its task is over"});
    const std::string& process = context_.sessions().at(received.peer).process;
    if (known && (process.empty() || view->second.process != process))
        return context_.deny(received, {ErrorCode::conflict, "this instance is registered already", id.value(),
                                        "only one process is an incarnation of a SID"});
    const bool idle = view->second.stage == standby_stage;  // whichever plan it was deployed with
    if (!message.task.value().empty() &&
        (message.task != view->second.task || (!idle && !in_force(message.task, message.generation))))
        return context_.refuse(received, {ErrorCode::conflict, "the instance follows a plan that is not in force",
                                          id.value(), "end it; another plays its part"});
    const auto away = Sessions::absence(context_.sessions().instances_away(), id);
    if (auto bound = context_.sessions().bind_instance(received.peer, message, view->second.node); !bound)
        return context_.deny(received, bound.error());
    if (away) context_.tell_return("instance " + id.value(), view->second.task, *away);
    if (known) return idle ? resume_standby(received, message) : resume(received, message);
    context_.append(InstanceJoined{id, process, message.data_endpoint, message.data_key});
    context_.answer(received, deploy(view->second));
    if (idle) return;  // a standby has no peers
    if (begun(view->second.task)) joins_later(view->second.task);
    else if (all(view->second.task, is_joined)) all_joined(view->second.task);
}

/// Answers an instance that reconnects: the last reports received from it, and the messages it may have missed.
void Runs::resume(const Received& received, const RegisterInstance& message) {
    const InstanceView& instance = context_.state().instances.at(message.instance);
    const TaskView& task = task_of(instance);
    const auto last = [&](const auto& curve) {
        return curve.empty() || curve.back().generation != task.generation ? task.from_step : curve.back().step;
    };
    const ResumeInstance resume{task.id, task.generation, last(task.history), last(task.evaluations)};
    if (message.state == InstanceState::starting) context_.answer(received, deploy(instance));
    else context_.answer(received, resume);
    warn_lost_reports(resume, message);
    context_.append(InstanceChanged{instance.id, instance.state, ""});
    const bool begun = message.state > InstanceState::registered;
    if (all(task.id, is_joined)) context_.send(received.peer, peers(task, instance, begun));
    if (all(task.id, is_ready)) context_.send(received.peer, begin(task));
    if (task.ending) context_.send(received.peer, EndInstance{instance.id, "its task is ending"});
    say_who_is_awaited();
}

/// Warns about reports that an instance could not keep, since it keeps only a bounded number.
void Runs::warn_lost_reports(const ResumeInstance& heard, const RegisterInstance& message) {
    const std::int64_t next = heard.step + 1;
    if (message.kept_from <= next) return;
    context_.append(Noted{Severity::warning, "instance " + message.instance.value(), heard.task.value(),
                          "steps " + std::to_string(next) + " to " + std::to_string(message.kept_from - 1) +
                              " were done without an orchestrator, and their losses are not kept"});
}

void Runs::all_joined(const TaskId& task) {
    tell_peers(task, false);
    tell_missing_gateways(task);
    runs_.at(task).deadline = context_.lived() + context_.limits().preparation;
}

void Runs::handle(const Received&, const InstancePrepared& message) {
    Run* run = run_of(message.instance);
    if (!run) return;
    const InstanceView& instance = context_.state().instances.at(message.instance);
    const TaskView& task = task_of(instance);
    if (!task.ending && instance.stage == standby_stage) return standby_ready(instance, message);
    if (task.ending || !in_force(task.id, message.generation)) return;
    if (instance.state != InstanceState::registered) return;  // reported twice
    if (message.plan_hash != task.plan_hash)
        return fail(task.id, message.instance,
                    {ErrorCode::conflict, "the instance compiled another plan", message.instance.value(),
                     "run the same version on every node"});
    context_.append(InstanceLoaded{message.instance, message.eval_microbatches, message.samples});
    if (begun(task.id)) begins_later(message.instance);
    else if (all(task.id, is_ready)) all_ready(task.id);
}

void Runs::all_ready(const TaskId& task) {
    runs_.at(task).deadline.reset();
    const auto instances = instances_of(context_.state(), task);
    context_.append(PhaseChanged{task, TaskPhase::exchange, ""});
    const Begin message = begin(context_.state().tasks.at(task));
    for (const InstanceView* instance : instances) {
        context_.append(InstanceChanged{instance->id, InstanceState::running, ""});
        if (!is_woken_by_data(*instance)) leases_.activate(instance->id);
        context_.tell(instance->id, message);
    }
    await_standbys(task);
}

// --- the end ----------------------------------------------------------------------------------

void Runs::handle(const Received& received, const StopTask& message) {
    const auto found = context_.state().tasks.find(message.task);
    if (found == context_.state().tasks.end()) return context_.refuse(received, context_.no_such_task(message.task));
    if (found->second.over())
        return context_.refuse(received, {ErrorCode::conflict, "the task has already ended", message.task.value(),
                                          "see how with 'divisictl tasks'"});
    if (!runs_.contains(message.task)) context_.append(TaskEnded{message.task, Outcome::stopped, std::nullopt});
    else if (!found->second.ending)
        end_instances(message.task, Outcome::stopped, {}, message.reason.empty() ? "stopped" : message.reason);
    context_.answer(received, Done{});
}

void Runs::handle(const Received&, const InstanceFinished& message) {
    const InstanceId& id = message.weights.instance;
    if (!run_of(id)) return;
    const InstanceView& instance = context_.state().instances.at(id);
    if (instance.state >= InstanceState::finished || !in_force(instance.task, message.weights.generation)) return;
    const TaskId task = instance.task;
    if (auto checked = check_weights(message.weights); !checked) return fail(task, id, checked.error());
    if (!message.weights.path.empty()) context_.append(message.weights);
    context_.append(InstanceChanged{id, InstanceState::finished, ""});
    leases_.activate(id);
    leases_.finish(id, all_done);
    const bool done = all(task, [](const InstanceView& one) { return one.state == InstanceState::finished; });
    if (done && !context_.state().tasks.at(task).ending) end_instances(task, Outcome::succeeded, {}, all_done);
}

void Runs::handle(const Received& received, const InstanceFailed& message) {
    Run* run = run_of(message.instance);
    if (!run) return;
    // A node reports for an instance that it could not start, or that it ends because the node itself ends.
    const auto sender = context_.sessions().find(received.peer);
    const bool by_node = sender != context_.sessions().end() && !sender->second.node.value().empty();
    // A failed standby says nothing about stages on that node.
    if (by_node && context_.state().instances.at(message.instance).stage != standby_stage) {
        run->data.unfit.insert(sender->second.node);
        run->faults.unfit.insert(sender->second.node);
    }
    fail(context_.state().instances.at(message.instance).task, message.instance, message.error,
         by_node ? Fault::lost : Fault::said);
}

void Runs::handle(const Received& received, const InstanceExited& message) {
    std::string how = message.signal != 0 ? "killed by signal " + std::to_string(message.signal)
                                          : "exited with status " + std::to_string(message.code);
    leases_.exited(received, message, how);
    if (!run_of(message.instance)) {
        // Another process may already play its SID.
        if (context_.state().instances.contains(message.instance)) ended(message.instance, how);
        return;
    }
    if (!message.output.empty()) how += ": " + message.output;
    const TaskView& task = task_of(context_.state().instances.at(message.instance));
    const bool expected = task.ending.has_value();
    if (!expected)
        fail(
            task.id, message.instance,
            {ErrorCode::failed, (message.signal != 0 ? "the instance's process was " : "the instance's process ") + how,
             message.instance.value(), "submit the task again; if it repeats, see 'divisictl logs'"},
            Fault::exited);
    ended(message.instance, expected && message.code == 0 && message.signal == 0 ? "" : how);
}

void Runs::fail(const TaskId& task, const InstanceId& culprit, Error error, Fault fault) {
    if (!runs_.contains(task) || context_.state().tasks.at(task).ending) return;
    if (handle_standby_fault(task, culprit, error, fault) || try_drop(task, culprit, error)) return;
    const Error its = error;
    if (try_recover(task, culprit, error, fault)) return;
    if (!culprit.value().empty()) {
        context_.append(InstanceChanged{culprit, InstanceState::failed, its.message()});
        leases_.finish(culprit, its.what);
    }
    context_.append(PhaseChanged{task, TaskPhase::exception, error.message()});
    const std::string reason = culprit.value().empty() ? error.what : "another instance failed";
    end_instances(task, Outcome::failed, std::move(error), reason);
}

void Runs::end_instances(const TaskId& task, Outcome outcome, std::optional<Error> error, const std::string& reason) {
    context_.append(TaskEnding{task, outcome, std::move(error), reason});
    runs_.at(task).data = {};
    runs_.at(task).standbys = {};
    const bool kept = outcome == Outcome::succeeded && kept_.are_wanted(context_.state().tasks.at(task));
    for (const InstanceView* instance : processes(task)) {
        context_.sessions().give_up(instance->id);
        leases_.finish(instance->id, reason);
        if (kept && !instance->exited && kept_.keep(*instance)) continue;  // its node tells it
        context_.tell(instance->id, EndInstance{instance->id, reason});
    }
    runs_.at(task).deadline = context_.lived() + context_.limits().ending;
    finish_if_all_gone(task);
}

void Runs::kill_instances(const TaskId& task) {
    Run& run = runs_.at(task);
    run.killing = true;
    run.deadline = context_.lived() + context_.limits().killing;
    for (const InstanceView* instance : processes(task)) {
        if (instance->exited) continue;
        if (!context_.tell(instance->node, StopInstance{instance->id})) ended(instance->id, "its node is away");
        if (!runs_.contains(task)) return;
    }
}

void Runs::ended(const InstanceId& instance, const std::string& detail) {
    const InstanceView& view = context_.state().instances.at(instance);
    if (view.exited || !runs_.contains(view.task)) return;
    context_.append(InstanceEnded{instance, detail});
    // Its peers need no longer look for it.
    if (view.stage == dealt_stage && begun(view.task) && !task_of(view).ending) tell_peers(view.task, true);
    finish_if_all_gone(view.task);
}

void Runs::finish_if_all_gone(const TaskId& id) {
    if (!runs_.contains(id) || !std::ranges::all_of(processes(id), is_gone, as_view)) return;
    const Ending ending = context_.state().tasks.at(id).ending.value_or(Ending{});
    runs_.erase(id);
    context_.append(TaskEnded{id, ending.outcome, ending.error});
}

void Runs::follow(const Event& event) {
    if (const auto* ending = get_if<TaskEnding>(&event.body)) ending_.insert(ending->task);
    if (const auto* ended = get_if<TaskEnded>(&event.body)) {
        runs_.erase(ended->task);
        ending_.erase(ended->task);
    }
    if (holds_alternative<PolicyChanged>(event.body))
        for (auto& [task, run] : runs_) run.heard.clear();
}

/// Ends all running tasks. The next start finds them ending and restarts none.
void Runs::shut_down() {
    std::vector<TaskId> tasks;
    for (const auto& [task, run] : runs_)
        if (!context_.state().tasks.at(task).ending) tasks.push_back(task);
    for (const TaskId& task : tasks)
        end_instances(task, Outcome::stopped,
                      Error{ErrorCode::unavailable, "the cluster was shut down", task.value(), "submit it again"},
                      "the cluster is shutting down");
}

void Runs::check_deadlines() {
    check_away();
    check_data();
    check_standbys();
    std::vector<TaskId> due;
    for (const auto& [task, run] : runs_)
        if (run.deadline && context_.lived() >= *run.deadline) due.push_back(task);
    for (const TaskId& task : due) missed_deadline(task);
    due.clear();
    for (const auto& [task, run] : runs_)
        if (const auto end = end_of_time(task); end && context_.lived() >= *end) due.push_back(task);
    for (const TaskId& task : due)
        fail(task, {},
             {ErrorCode::deadline,
              "it has run for the " + std::to_string(context_.state().tasks.at(task).most_seconds) + " s that it may",
              "[task] most_seconds", "allow it more time, or fewer steps"});
}

std::optional<TimePoint> Runs::end_of_time(const TaskId& id) const {
    const TaskView& task = context_.state().tasks.at(id);
    if (task.most_seconds == 0 || task.ending) return std::nullopt;
    return context_.lived() + (task.placed + std::chrono::seconds(task.most_seconds) - context_.now());
}

void Runs::missed_deadline(const TaskId& task) {
    const auto instances = instances_of(context_.state(), task);
    if (runs_.at(task).killing) {
        for (const InstanceView* instance : processes(task))
            if (runs_.contains(task)) ended(instance->id, "its node gave no word of its end");
        return;
    }
    if (context_.state().tasks.at(task).ending) return kill_instances(task);
    const bool registering = !all(task, is_joined);
    if (registering && extend_wait(task)) return;
    auto absent = awaited_nodes(task);
    std::erase_if(absent, [&](const NodeId& node) { return context_.sessions().of(node).has_value(); });
    if (registering && !absent.empty() && runs_.at(task).faults.waits_since)
        return fail(task, {},
                    {ErrorCode::unavailable,
                     "a node that alone can go on with the task did not come back within " +
                         std::to_string(context_.limits().node_return / std::chrono::minutes(1)) + " minutes",
                     "node " + absent.begin()->value(), "bring it back, then retry the task"});
    std::string missing;
    for (const InstanceView* instance : instances)
        if (registering ? !instance->joined : !instance->ready())
            missing += (missing.empty() ? "" : ", ") + instance->id.value();
    fail(task, {},
         {ErrorCode::deadline,
          registering ? "instances did not register in time" : "instances were not prepared in time", missing,
          "see 'divisictl logs' for what they said"},
         Fault::lost);
}

std::optional<TimePoint> Runs::next_deadline() const {
    std::optional<TimePoint> next;
    for (const auto& [task, run] : runs_)
        for (const auto& one : {run.deadline, end_of_time(task), data_deadline(run), standby_deadline(run)})
            if (one && (!next || *one < *next)) next = one;
    return next;
}

}  // namespace divisi::control::inline runs
