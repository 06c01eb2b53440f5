// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "backend/control/protocol/instance_messages.h"
#include "backend/control/runs/leases.h"
#include "backend/control/runs/node_fitness.h"
#include "backend/control/runs/task_part.h"
#include "tests/support/task_file.h"
#include "tests/unit/control/fixture.h"

namespace divisi::control::test {

inline const std::string synthetic_text = testing::TaskFile().drop_section("train").text();

/// A fake of TaskLifecycle. Places instances as TaskLifecycle does, and records all other calls.
struct FakeControl final : TaskControl {
    struct Failure {
        TaskId task;
        InstanceId culprit;
        Error error;
        Fault fault = Fault::said;
    };

    OrchestratorContext& context;
    TaskPart* part = nullptr;  ///< told which instances were started
    std::vector<InstanceOrder> placed;
    std::vector<Failure> failures;
    std::vector<InstanceId> forgotten;
    std::vector<std::string> calls;
    bool left = false;

    explicit FakeControl(OrchestratorContext& its_context) : context(its_context) {}

    InstanceId place(const InstanceOrder& order) override {
        placed.push_back(order);
        const InstanceId id = next_instance(context.state(), order.sid);
        context.append(InstancePlaced{order.task, id, order.sid, order.node, order.stage, order.generation});
        context.append(InstanceChanged{id, InstanceState::starting, ""});
        if (part) part->started(context.state().instances.at(id));
        return id;
    }
    void fail(const TaskId& task, const InstanceId& culprit, Error error, Fault fault) override {
        failures.push_back({task, culprit, std::move(error), fault});
    }
    void update_waits(const TaskId&) override { calls.push_back("update_waits"); }
    void update_waits() override { calls.push_back("update_waits"); }
    void tell_peers(const TaskId&) override { calls.push_back("tell_peers"); }
    void forget_reports(const InstanceId& instance) override { forgotten.push_back(instance); }
    void begin_generation(const TaskId&) override { calls.push_back("begin_generation"); }
    void generation_placed(const TaskId&) override { calls.push_back("generation_placed"); }
    void extend_registration(const TaskId&) override { calls.push_back("extend_registration"); }
    void pause_steps(const TaskId&) override { calls.push_back("pause_steps"); }
    void resume_steps(const TaskId&) override { calls.push_back("resume_steps"); }
    bool is_left(const TaskId&) const override { return left; }
};

/// Fixture for one part of running tasks: nodes a and b, and a task that trains on them according to the state.
struct PartFixture : Fixture {
    Leases leases{context};
    NodeFitness fitness{context};
    FakeControl control{context};
    PeerId a = node(1, "a", "host of a", ""), b = node(2, "b", "host of b", "");
    std::uint64_t last_peer = 100;

    /// Makes a task with these instances train.
    void train(const std::vector<std::pair<InstanceId, std::int32_t>>& instances,
               const std::string& text = synthetic_text, task::FaultAnswer answer = task::FaultAnswer::recover) {
        context.append(TaskSubmitted{the_task, "t", text, "/", "", {}, "me", 0});
        context.append(PhaseChanged{the_task, TaskPhase::registration, ""});
        TaskPlanned plan;
        plan.task = the_task;
        plan.plan_hash = "hash";
        plan.answer = answer;
        context.append(plan);
        for (const auto& [id, stage] : instances) run(id, stage, NodeId(id == first ? "a" : "b"));
        context.append(PhaseChanged{the_task, TaskPhase::exchange, ""});
        clear();
    }
    /// Adds a connected instance.
    void run(const InstanceId& id, std::int32_t stage, const NodeId& on, InstanceState state = InstanceState::running) {
        context.append(InstancePlaced{the_task, id, sid_of(id), on, stage, 1});
        const PeerId peer(++last_peer);
        context.sessions().open(peer, {true, Role::agent, "", ""});
        if (!context.sessions().bind_instance(peer, RegisterInstance{id, sid_of(id), "", "", "", 1}, on))
            qFatal("the instance may not connect");
        context.append(InstanceJoined{id, "process of " + id.value(), "", ""});
        context.append(InstanceChanged{id, state, ""});
    }
    /// Ends the connection of a node, which stays away.
    void lose(PeerId peer, const std::string& name) {
        (void)context.sessions().close(peer);
        context.append(NodeEnded{NodeId(name), NodeState::away, "gone"});
        clear();
    }
    InstanceState state(const InstanceId& id) const { return context.state().instances.at(id).state; }
    const TaskView& task() const { return context.state().tasks.at(the_task); }
    static Error error(ErrorCode code) { return {code, "it broke", "here", "mend it"}; }
};

}  // namespace divisi::control::test
