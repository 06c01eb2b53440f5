// SPDX-License-Identifier: Apache-2.0
// Places the instances of tasks, and lets them register, prepare and begin.
#include "backend/control/runs/task_lifecycle.h"

#include <algorithm>

#include "backend/control/protocol/instance_messages.h"
#include "backend/control/protocol/node_messages.h"
#include "backend/control/runs/task_instances.h"
#include "backend/control/types/error_texts.h"

namespace divisi::control::inline runs {
namespace {

constexpr Generation first_generation = 1;
/// Data is loaded and preprocessed on the processor, even if the stages use other devices.
constexpr const char* data_device = "cpu";

bool is_joined(const InstanceView& instance) { return instance.joined; }
bool is_ready(const InstanceView& instance) { return instance.ready(); }

}  // namespace

void TaskLifecycle::start(const TaskId& task, const PlanSummary& plan, const std::vector<NodeId>& nodes) {
    context_.append(PhaseChanged{task, TaskPhase::registration, ""});
    context_.append(planned_as(context_.state(), task, first_generation, plan));
    std::set<std::string> before;  // tasks whose kept processes this task uses
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const auto stages = static_cast<std::size_t>(plan.stages);
        const std::int32_t data = plan.data_instances > 0 ? dealt_stage : data_stage;
        const std::int32_t stage = i < stages ? static_cast<std::int32_t>(i) : data;
        const Sid sid = sid_in(task, stage, i < stages ? 0 : i - stages);
        const InstanceId from = kept_.take(context_.state().tasks.at(task), stage, nodes[i]);
        if (!from.value().empty()) before.insert(control::task_of(sid_of(from)).value());
        const InstanceId instance = place({task, first_generation, sid, nodes[i], stage, plan.threads, from});
        leases_.grant(instance, terms_on(stage < 0 ? data_device : plan.device, plan.threads));
    }
    for (const std::string& other : before)
        context_.append(Noted{Severity::info, "orchestrator", task.value(),
                              "continues with the processes of " + other + ", which have its model"});
    open(task, {context_.lived() + context_.limits().registration});
}

void TaskLifecycle::open(const TaskId& task, Run run) {
    runs_[task] = run;
    reports_.open(task);
    for (TaskPart* part : parts_) part->open(task);
}

InstanceId TaskLifecycle::place(const InstanceOrder& order) {
    const InstanceId instance = next_instance(context_.state(), order.sid);
    context_.append(InstancePlaced{order.task, instance, order.sid, order.node, order.stage, order.generation});
    // If the instance cannot start now, node_lost(), node_joined() or a retry follows.
    if (!fitness_.can_play(order.task, order.node, order.sid)) return instance;
    context_.append(InstanceChanged{instance, InstanceState::starting, ""});
    context_.tell(order.node,
                  StartInstance{order.task, instance, order.sid, order.threads, order.generation, order.from});
    for (TaskPart* part : parts_) part->started(context_.state().instances.at(instance));
    return instance;
}

void TaskLifecycle::begin_generation(const TaskId& task) {
    reports_.begin_generation(task);
    for (TaskPart* part : parts_) part->begin_generation(task);
    extend_registration(task);
}

void TaskLifecycle::generation_placed(const TaskId& task) {
    for (TaskPart* part : parts_) part->generation_placed(task);
}

void TaskLifecycle::extend_registration(const TaskId& task) {
    runs_.at(task).deadline = context_.lived() + context_.limits().registration;
}

TaskLifecycle::Run* TaskLifecycle::run_of(const InstanceId& instance) {
    if (!is_current(context_.state(), instance)) return nullptr;
    const auto run = runs_.find(context_.state().instances.at(instance).task);
    return run == runs_.end() ? nullptr : &run->second;
}

bool TaskLifecycle::all(const TaskId& task, bool (*holds)(const InstanceView&)) const {
    return std::ranges::all_of(needed_instances(context_.state(), task),
                               [&](const auto* instance) { return holds(*instance); });
}

Deploy TaskLifecycle::deploy(const InstanceView& instance) const {
    Deploy deploy = messages_.deploy(instance);
    for (const TaskPart* part : parts_) part->complete(instance, deploy);
    return deploy;
}

void TaskLifecycle::tell_peers() {
    for (const auto& [id, run] : runs_)
        if (all(id, is_joined)) tell_peers(id);
}

void TaskLifecycle::handle(const Received& received, const RegisterInstance& message) {
    const InstanceId& id = message.instance;
    const auto view = context_.state().instances.find(id);
    const bool runs = run_of(id) != nullptr;
    const bool known = runs && view->second.joined && !view->second.exited;
    if (!runs || (!known && (task_of(view->second).ending || message.state != InstanceState::starting)))
        return context_.refuse(received, make_error(error_text("instance-of-no-task"), id.value()));
    const std::string& process = context_.sessions().at(received.peer).process;
    if (known && (process.empty() || view->second.process != process))
        return context_.deny(received, make_error(error_text("instance-registered-twice"), id.value()));
    const bool idle = view->second.stage == standby_stage;  // a standby may have been deployed with an older plan
    if (!message.task.value().empty() && (message.task != view->second.task ||
                                          (!idle && !is_in_force(context_.state(), message.task, message.generation))))
        return context_.refuse(received, make_error(error_text("instance-of-old-plan"), id.value()));
    const auto away = Sessions::absence(context_.sessions().instances_away(), id);
    if (auto bound = context_.sessions().bind_instance(received.peer, message, view->second.node); !bound)
        return context_.deny(received, bound.error());
    if (away) context_.tell_return("instance " + id.value(), view->second.task, *away);
    if (known) return idle ? resume_standby(received, message) : resume(received, message);
    context_.append(InstanceJoined{id, process, message.data_endpoint, message.data_key});
    context_.answer(received, deploy(view->second));
    if (idle) return;  // a standby has no peers
    // If a data instance joins a running task, tell the instance and its peers each other's addresses.
    if (has_begun(context_.state(), view->second.task)) tell_peers(view->second.task);
    else if (all(view->second.task, is_joined)) all_joined(view->second.task);
}

/// Answers an instance that has reconnected: sends the steps of the last reports that arrived, then missed messages.
void TaskLifecycle::resume(const Received& received, const RegisterInstance& message) {
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
    if (all(task.id, is_joined)) context_.send(received.peer, messages_.peers(task, instance, begun));
    if (all(task.id, is_ready)) context_.send(received.peer, messages_.begin(task));
    if (task.ending) context_.send(received.peer, EndInstance{instance.id, "its task is ending"});
    update_waits();
}

/// Answers a standby that reconnects. Such a standby can only have missed the end of its task.
void TaskLifecycle::resume_standby(const Received& received, const RegisterInstance& message) {
    const InstanceView& instance = context_.state().instances.at(message.instance);
    const TaskView& task = task_of(instance);
    if (message.state == InstanceState::starting) context_.answer(received, deploy(instance));
    else context_.answer(received, ResumeInstance{task.id, message.generation, 0, 0});
    context_.append(InstanceChanged{instance.id, instance.state, ""});
    if (task.ending) context_.send(received.peer, EndInstance{instance.id, "its task is ending"});
}

/// Warns about lost reports, since an instance keeps only a bounded number of reports.
void TaskLifecycle::warn_lost_reports(const ResumeInstance& heard, const RegisterInstance& message) {
    const std::int64_t next = heard.step + 1;
    if (message.kept_from <= next) return;
    context_.append(Noted{Severity::warning, "instance " + message.instance.value(), heard.task.value(),
                          "steps " + std::to_string(next) + " to " + std::to_string(message.kept_from - 1) +
                              " ran while the orchestrator was away, and their losses were not kept"});
}

void TaskLifecycle::all_joined(const TaskId& task) {
    messages_.tell_peers(task, false);
    messages_.warn_missing_gateways(task);
    runs_.at(task).deadline = context_.lived() + context_.limits().preparation;
}

void TaskLifecycle::handle(const Received&, const InstancePrepared& message) {
    if (!run_of(message.instance)) return;
    const InstanceView& instance = context_.state().instances.at(message.instance);
    const TaskView& task = task_of(instance);
    if (task.ending) return;
    for (TaskPart* part : parts_)
        if (part->handle_prepared(instance, message)) return;
    if (!is_in_force(context_.state(), task.id, message.generation)) return;
    if (instance.state != InstanceState::registered) return;  // the instance reported this twice
    if (message.plan_hash != task.plan_hash)
        return fail(task.id, message.instance,
                    make_error(error_text("instance-compiled-another-plan"), message.instance.value()), Fault::said);
    context_.append(InstanceLoaded{message.instance, message.eval_microbatches, message.samples});
    if (has_begun(context_.state(), task.id)) begin_later(message.instance);
    else if (all(task.id, is_ready)) all_ready(task.id);
}

void TaskLifecycle::all_ready(const TaskId& task) {
    runs_.at(task).deadline.reset();
    const auto instances = instances_of(context_.state(), task);
    context_.append(PhaseChanged{task, TaskPhase::exchange, ""});
    const Begin message = messages_.begin(context_.state().tasks.at(task));
    for (const InstanceView* instance : instances) {
        context_.append(InstanceChanged{instance->id, InstanceState::running, ""});
        if (!is_woken_by_data(*instance)) leases_.activate(instance->id);
        context_.tell(instance->id, message);
    }
    for (TaskPart* part : parts_) part->training_begun(task);
}

void TaskLifecycle::begin_later(const InstanceId& instance) {
    context_.append(InstanceChanged{instance, InstanceState::running, ""});
    leases_.activate(instance);
    context_.tell(instance, messages_.begin(task_of(context_.state().instances.at(instance))));
    update_waits();
}

/// Returns whether the instance's first inputs are tensors that pass gateways. The gateway next to the sender writes
/// the lease into these tensors. All other instances are activated when they are told to begin.
bool TaskLifecycle::is_woken_by_data(const InstanceView& instance) const {
    if (instance.stage < 0) return false;  // data instances only answer requests
    const std::vector<UnitView>& units = task_of(instance).units;
    const auto passes_gateways = [&](const Sid& source) {
        const auto unit = std::ranges::find(units, source, &UnitView::sid);
        if (unit == units.end()) return false;
        const auto player = context_.state().instances.find(unit->instance);
        return player != context_.state().instances.end() &&
               devices_.entry(player->second.node, instance.node).has_value();
    };
    return std::ranges::any_of(units, [&](const UnitView& unit) {
        return unit.kind == "forward" && unit.instance == instance.id &&
               std::ranges::any_of(unit.depends_on, passes_gateways);
    });
}

void TaskLifecycle::handle(const Received&, const InstanceActivated& message) {
    const Lease* lease = leases_.held_by(message.instance);
    if (!lease) return;  // the task is over
    if (lease->number == message.lease && lease->share == message.share)
        return leases_.activate(message.instance, devices_.name_of(message.gateway));
    context_.append(Noted{Severity::warning, "instance " + message.instance.value(), lease->task.value(),
                          "reported that lease " + std::to_string(message.lease) + " was activated, but holds lease " +
                              std::to_string(lease->number)});
}

}  // namespace divisi::control::inline runs
