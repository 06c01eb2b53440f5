// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "tests/support/task_file.h"
#include "tests/unit/control/runs_fixture.h"

namespace divisi::control::test {

/// A task file whose first stage reads a file of its own node.
inline const std::string data_on_its_node =
    testing::TaskFile()
        .section("model", {{"inputs", 1}, {"classes", 2}})
        .replace("data", {{"kind", "csv"}, {"path", "node:/data.csv"}, {"targets", {"y"}}})
        .drop_section("train")
        .text();
inline const std::string plain_task = testing::TaskFile().drop_section("train").text();

/// A fixture with a task that recovers from faults.
struct RecoveryFixture : RunsFixture {
    using RunsFixture::RunsFixture;
    void train(const std::string& text = plain_task) { RunsFixture::train(0, task::FaultAnswer::recover, text); }
    void commit(std::int64_t step, std::vector<NodeId> of_first = {NodeId("a")},
                std::vector<NodeId> of_second = {NodeId("b")}) {
        const std::string number = std::to_string(step);
        context.append(CheckpointCommitted{the_task,
                                           {1,
                                            step,
                                            now,
                                            {{sid_of(first), 0, "first-" + number, 10, of_first},
                                             {sid_of(second), 1, "second-" + number, 10, of_second}}}});
        (void)take();
    }
    std::vector<StartInstance> starts(const Output& output, const std::string& node) {
        return sent<StartInstance>(output, nodes[node]);
    }
    std::vector<StopInstance> stops(const Output& output, const std::string& node) {
        return sent<StopInstance>(output, nodes[node]);
    }
    /// Registers both instances of a generation and reports that they are prepared.
    void go_on(const InstanceId& one, const InstanceId& other, const std::string& process = {}) {
        (void)serve(one, InstanceState::starting, process);
        (void)serve(other);
        (void)say(one, InstancePrepared{one, "hash", 5, generation_of(one)});
        (void)say(other, InstancePrepared{other, "hash", -1, generation_of(other)});
    }
    Generation generation_of(const InstanceId& id) const { return context.state().instances.at(id).generation; }
    /// Ends the newest incarnation of an instance, as its node reports it.
    Output die(const InstanceId& of, const std::string& node) {
        return hear(nodes[node], InstanceExited{newest(of), 0, 9, ""});
    }
    InstanceId newest(const InstanceId& of) const {
        Incarnation number = 1;
        while (context.state().instances.contains(instance_of(sid_of(of), number + 1))) ++number;
        return instance_of(sid_of(of), number);
    }
    NodeId node_of(const InstanceId& of) const { return context.state().instances.at(newest(of)).node; }
};

/// Returns whether the log has a line with these words.
inline bool tells(const Output& output, const std::string& words) {
    return std::ranges::any_of(output.events, [&](const Event& event) {
        const auto* noted = get_if<Noted>(&event.body);
        return noted && noted->text.find(words) != std::string::npos;
    });
}

}  // namespace divisi::control::test
