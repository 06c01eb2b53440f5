// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "backend/control/change/checkpoints.h"
#include "backend/control/protocol/instance_messages.h"
#include "tests/unit/control/fixture.h"

namespace divisi::control::test {

using Every = task::CheckpointRule::Every;

inline const NodeId node_a("m/a"), node_b("m/b"), node_c("m/c");

/// Returns the hash of an invented snapshot.
inline std::string blob(int number) {
    const std::string digits = std::to_string(number);
    return std::string(64 - digits.size(), '0') + digits;
}

/// Fixture with nodes m/a, m/b, ..., each on a separate host, and a task of two stages that trains on the first two
/// nodes. The tests send the messages of nodes and instances.
struct CheckpointFixture : Fixture {
    MeshDevices devices{context};
    BlobTransfers transfers{context, devices};
    Checkpoints checkpoints{context, transfers};
    PeerId operates = connect(900);
    std::uint64_t next_peer = 100;
    Generation generation = 1;

    explicit CheckpointFixture(int nodes = 3, task::CheckpointRule rule = {Every::steps, 5, 2}) {
        context.follow([this](const Event& event) { checkpoints.follow(event); });
        for (int i = 0; i < nodes; ++i) add_node(i);
        submit(the_task, rule);
    }
    /// Adds a node that is connected as peer i + 1.
    void add_node(int i) {
        const std::string name = std::string("m/") + static_cast<char>('a' + i);
        node(static_cast<std::uint64_t>(i) + 1, name, "host of " + name, "ipc:///" + name);
        NodeInfo info = context.state().nodes.at(NodeId(name)).info;
        info.mic = MicId("m");
        context.append(NodeJoined{info});
    }
    void submit(const TaskId& task, task::CheckpointRule rule, const std::string& text = "") {
        context.append(TaskSubmitted{task, "t", text, "/", "", {}, "me", 0});
        TaskPlanned plan;
        plan.task = task;
        plan.steps = 1000;
        plan.checkpoint = rule;
        context.append(plan);
        const bool two = context.state().nodes.size() > 1;
        place(task, 0, node_a);
        place(task, 1, two ? node_b : node_a);
        context.append(PhaseChanged{task, TaskPhase::exchange, ""});
        clear();
    }
    /// Places and connects the next incarnation of a stage.
    void place(const TaskId& task, std::int32_t stage, const NodeId& node) {
        const Sid sid(task.value() + "/stage-" + std::to_string(stage) + "/0");
        const InstanceId id = next_instance(context.state(), sid);
        context.append(InstancePlaced{task, id, sid, node, stage, generation});
        const PeerId peer(next_peer++);
        context.sessions().open(peer, {true, Role::agent, "", ""});
        const auto bound = context.sessions().bind_instance(peer, RegisterInstance{id, sid, "", "", "", 1}, node);
        if (!bound) qFatal("%s", bound.error().message().c_str());
    }
    InstanceId instance(std::int32_t stage, const TaskId& task = the_task) const {
        for (const InstanceView* one : stages_of(context.state(), task))
            if (one->stage == stage) return one->id;
        return {};
    }
    /// Reports that a stage has written a snapshot.
    void take(std::int32_t stage, std::int64_t step, int number, double copy_ms = 1, const TaskId& task = the_task) {
        say(checkpoints, PeerId(0), snapshot(stage, step, blob(number), copy_ms, {}, task));
        checkpoints.poll();
    }
    /// Reports that a stage has no snapshot.
    void miss(std::int32_t stage, std::int64_t step, ErrorCode code = ErrorCode::exhausted) {
        say(checkpoints, PeerId(0), snapshot(stage, step, "", 0, Error{code, "no snapshot", "here", "do something"}));
        checkpoints.poll();
    }
    SnapshotTaken snapshot(std::int32_t stage, std::int64_t step, const std::string& hash, double copy_ms,
                           std::optional<Error> error, const TaskId& task = the_task) const {
        return {task, instance(stage, task), generation, step, hash, 1000, copy_ms, 2, std::move(error)};
    }
    /// Reports the snapshots of both stages: `number` and `number + 1`.
    void take_all(std::int64_t step, int number) {
        take(0, step, number);
        take(1, step, number + 1);
    }
    /// Returns the copies started since the fixture was cleared, in the order of their start.
    std::vector<std::pair<PeerId, FetchBlob>> copies() { return sent<FetchBlob>(); }
    void end_copy(const std::pair<PeerId, FetchBlob>& copy, std::optional<Error> error = {}) {
        say(transfers, copy.first, BlobFetched{copy.second.transfer, 1000, std::move(error)});
        checkpoints.poll();
    }
    /// Ends all copies, including those started meanwhile.
    void end_copies() {
        std::set<std::uint64_t> ended;
        for (bool more = true; more;) {
            more = false;
            for (const auto& copy : copies()) {
                if (!ended.insert(copy.second.transfer).second) continue;
                end_copy(copy);
                more = true;
            }
        }
    }
    /// Ends a node's connection, as the orchestrator does.
    void lose(const NodeId& node) {
        (void)context.sessions().close(*context.sessions().of(node));
        context.append(NodeEnded{node, NodeState::away, "gone"});
        transfers.node_gone(node);
        checkpoints.poll();
    }
    std::vector<std::int64_t> committed() {
        std::vector<std::int64_t> steps;
        for (const auto& one : logged<CheckpointCommitted>()) steps.push_back(one.checkpoint.step);
        return steps;
    }
    /// Returns the blobs that nodes were told to remove since the fixture was cleared.
    std::map<PeerId, std::set<std::string>> dropped() {
        std::map<PeerId, std::set<std::string>> all;
        for (const auto& [peer, drop] : sent<DropBlobs>()) all[peer].insert(drop.hashes.begin(), drop.hashes.end());
        return all;
    }
    std::vector<std::string> warnings() {
        std::vector<std::string> texts;
        for (const Noted& note : logged<Noted>())
            if (note.severity == Severity::warning) texts.push_back(note.text);
        return texts;
    }
    /// Reports that a step is done and how long it took.
    void step(std::int64_t number, double step_ms = 1000) {
        StepRecord record;
        record.step = number;
        record.step_ms = step_ms;
        record.generation = generation;
        context.append(StepDone{the_task, record});
    }
    void recover(std::int64_t from) {
        context.append(TaskRecovers{the_task, ++generation, from, {}, "a fault"});
        for (const std::int32_t stage : {0, 1})
            place(the_task, stage, NodeId(context.state().instances.at(instance(stage)).node));
        context.append(PhaseChanged{the_task, TaskPhase::exchange, ""});
        checkpoints.poll();
    }
    const TaskView& task() const { return context.state().tasks.at(the_task); }
};

}  // namespace divisi::control::test
