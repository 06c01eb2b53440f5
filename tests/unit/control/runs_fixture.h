// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QTest>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "backend/control/protocol/instance_messages.h"
#include "backend/control/protocol/node_messages.h"
#include "backend/control/runs/runs.h"
#include "tests/unit/control/fixture.h"

namespace divisi::control::test {

/// Fixture: Runs over its own context, without an orchestrator. Another fixture can start from its log.
struct RunsFixture {
    std::vector<Event> log;
    OrchestratorContext context{{}};
    Models models{context};
    MeshDevices devices{context};
    Leases leases{context};
    KeptProcesses kept{context};
    Runs runs{context, models, devices, leases, kept};
    TimePoint now{std::chrono::seconds(1000)};
    std::uint64_t last_peer = 0;
    std::map<std::string, PeerId> nodes;
    std::map<InstanceId, PeerId> instances;

    explicit RunsFixture(std::vector<Event> before = {}) : log(std::move(before)) {
        context.follow([this](const Event& event) {
            leases.follow(event);
            runs.follow(event);
        });
        for (const Event& event : log) context.replay(event);
        context.set_time(now);
    }
    /// Connects a process, which sends its hello.
    PeerId connect(const std::string& process) {
        const PeerId peer(++last_peer);
        context.sessions().open(peer, {true, {}, "me", ""});
        context.sessions().at(peer).role = Role::agent;
        context.sessions().at(peer).process = process;
        return peer;
    }
    Output join(const std::string& name, const std::vector<InstanceId>& running = {}) {
        NodeInfo info;
        info.id = NodeId(name);
        info.mic = MicId("m");
        nodes[name] = connect("node " + name);
        if (!context.sessions().bind_node(nodes[name], info)) qFatal("the node may not join");
        context.append(NodeJoined{info});
        runs.lifecycle().node_joined(info.id, running);
        runs.lifecycle().update_waits();
        return take();
    }
    Output serve(const InstanceId& id, InstanceState state = InstanceState::starting, const std::string& process = {}) {
        instances[id] = connect(process.empty() ? "process of " + id.value() : process);
        return say(id, RegisterInstance{id, sid_of(id), "tcp://" + id.value(), "", "f", 1, state});
    }
    template <typename M>
    Output say(const InstanceId& id, M message) {
        return hear(instances[id], std::move(message));
    }
    template <typename M>
    Output hear(PeerId peer, M message) {
        context.set_time(now += std::chrono::milliseconds(1));
        runs.handle(Received{peer, 1, message}, message);
        return take();
    }
    /// Declares a node lost permanently, as the orchestrator does.
    Output lose(const std::string& name) {
        (void)context.sessions().close(nodes.at(name));
        context.sessions().give_up(NodeId(name));
        context.append(NodeEnded{NodeId(name), NodeState::lost, "gone"});
        runs.lifecycle().node_lost(NodeId(name), NodeState::lost);
        return take();
    }
    void open_gateway() {
        DeviceInfo info;
        info.name = "mg";
        info.role = mesh::DeviceRole::gateway;
        info.mic = MicId("m");
        info.endpoint = "tcp://mg";
        const RegisterDevice message{info, 0};
        devices.handle(Received{connect("gateway"), 1, message}, message);
        if (!devices.gateway(NodeId("a"))) qFatal("the gateway may not join");
        (void)take();
    }
    Output pass(Duration time) {
        for (const TimePoint until = now + time; now < until;) {
            context.set_time(now += heartbeat_interval);
            runs.check_deadlines();
        }
        return take();
    }
    Output take() {
        Output output = std::exchange(context.output(), {});
        log.insert(log.end(), output.events.begin(), output.events.end());
        return output;
    }
    /// Starts two stages on a and b.
    void begin(std::int64_t most_seconds = 0, task::FaultAnswer answer = task::FaultAnswer::fail,
               const std::string& text = "text") {
        (void)join("a");
        (void)join("b");
        context.append(TaskSubmitted{the_task, "t", text, "/", "", {}, "me", 0});
        PlanSummary plan;
        plan.answer = answer;
        plan.name = "t";
        plan.stages = 2;
        plan.steps = 10;
        plan.threads = 3;
        plan.most_seconds = most_seconds;
        plan.plan_hash = "hash";
        runs.lifecycle().start(the_task, plan, {NodeId("a"), NodeId("b")});
    }
    /// Starts two stages on a and b, and lets them train.
    void train(std::int64_t most_seconds = 0, task::FaultAnswer answer = task::FaultAnswer::fail,
               const std::string& text = "text") {
        begin(most_seconds, answer, text);
        for (const InstanceId& id : {first, second}) (void)serve(id);
        (void)say(first, InstancePrepared{first, "hash", 5});
        (void)say(second, InstancePrepared{second, "hash", -1});
        if (task().phase != TaskPhase::exchange) qFatal("the task does not run");
    }
    /// Starts one stage on a and one or two data instances on b, and lets them train.
    void train_with_data(std::int32_t instances = 2, const std::string& text = "text",
                         const std::vector<FileRef>& files = {}, task::FaultAnswer answer = task::FaultAnswer::fail) {
        (void)join("a");
        (void)join("b");
        context.append(TaskSubmitted{the_task, "t", text, "/", "", files, "me", 0});
        PlanSummary plan;
        plan.name = "t";
        plan.stages = 1;
        plan.answer = answer;
        plan.data_instances = instances;
        plan.steps = 10;
        plan.plan_hash = "hash";
        std::vector<NodeId> places{NodeId("a"), NodeId("b"), NodeId("b")};
        std::vector<InstanceId> all{first, data_0, data_1};
        places.resize(static_cast<std::size_t>(instances) + 1);
        all.resize(places.size());
        runs.lifecycle().start(the_task, plan, places);
        for (const InstanceId& id : all) (void)serve(id);
        for (const InstanceId& id : all) {
            if (task().phase != TaskPhase::registration) qFatal("the task starts without a data instance");
            (void)say(id, InstancePrepared{id, "hash", 5});
        }
        if (task().phase != TaskPhase::exchange) qFatal("the task does not run");
    }
    /// Registers a data instance that was started during the training, and lets it load and take work.
    Output arrive(const InstanceId& id) {
        (void)serve(id);
        return say(id, InstancePrepared{id, "hash", 5});
    }
    Output kill(const InstanceId& id) { return say(id, InstanceExited{id, 0, 9, ""}); }
    InstanceState state(const InstanceId& id) const { return context.state().instances.at(id).state; }
    Output scale(std::int32_t instances) {
        const PeerId peer = connect("client");
        context.sessions().at(peer).role = Role::operate;
        const ScaleData message{the_task, instances};
        runs.handle(Received{peer, 1, message}, message);
        return take();
    }
    void step(std::int64_t number, Generation generation = 1) {
        StepRecord record;
        record.step = number;
        record.generation = generation;
        (void)say(second, StepReport{the_task, second, record});
    }
    const TaskView& task() const { return context.state().tasks.at(the_task); }
};

/// The fixture after a crash: everything outside the log is lost.
struct Restarted : RunsFixture {
    explicit Restarted(const RunsFixture& before) : RunsFixture(before.log) {
        context.append(ClusterStarted{"test", "1", {}});
        leases.adopt();
        runs.adopt(false);
        (void)take();
    }
};

template <typename M>
std::vector<M> sent(const Output& output, PeerId peer) {
    std::vector<M> found;
    for (const Send& one : output.sends)
        if (const auto* message = get_if<M>(&one.message); message && one.peer == peer) found.push_back(*message);
    return found;
}

template <typename E>
std::vector<E> logged(const Output& output) {
    std::vector<E> found;
    for (const Event& event : output.events)
        if (const auto* body = get_if<E>(&event.body)) found.push_back(*body);
    return found;
}

}  // namespace divisi::control::test
