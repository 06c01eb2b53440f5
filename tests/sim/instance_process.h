// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "backend/control/agent/instance_life.h"
#include "backend/link/agent_link.h"
#include "backend/link/data_port.h"
#include "tests/sim/fake_blob_store.h"
#include "tests/sim/injected_bug.h"
#include "tests/sim/process.h"
#include "tests/sim/segment_state.h"
#include "tests/sim/stage_engine.h"

namespace divisi::sim {

/// One microservice instance. Its life cycle, its connection to the orchestrator and its data port are production code.
class InstanceProcess final : public Process {
public:
    struct Events {
        std::function<void(int status)> exit;
        std::function<bool()> work_fails;  ///< called at the end of preparing and of each step
    };
    /// The environment of a new process on its machine.
    struct Machine {
        FakeBlobStore& store;  ///< the blob store of its node
        /// The weights of the instance that the process ran before.
        std::optional<std::vector<std::uint64_t>> learned = std::nullopt;
        InjectedBug bug = InjectedBug::none;
    };
    InstanceProcess(Surroundings around, Place place, InstanceId id, Machine machine, Events events);

    const InstanceId& id() const { return id_; }
    void terminate() { feed(control::instance::Terminate{}); }
    /// Returns the weights of its stage's operators; none before the stage is prepared.
    std::optional<std::vector<std::uint64_t>> weights() const {
        return engine_ ? std::optional(engine_->weights()) : std::nullopt;
    }

private:
    void feed(const control::instance::Input& input);
    void direct(const control::instance::Output& output);
    void prepare(const control::instance::Prepare& what);
    void warm_up(const control::Deploy& what);
    void prepare_plan(const control::PreparePlan& order);
    Result<void> restore(const control::Restore& from);
    bool begins_with(const SegmentState& state, std::vector<bool>& known);
    bool check_in_force(const control::Restore& from);
    void run();
    void tick();
    void step_over(std::int64_t step, const std::vector<std::uint64_t>& weights);
    void step_done(std::int64_t step, float loss);
    void take_snapshot(std::int64_t step);
    void write(const control::SnapshotTaken& snapshot, const std::string& bytes);
    link::AgentLink::Events link_events();
    link::DataPort::Events port_events();
    StageEngine::Outlet outlet();

    InstanceId id_;
    Machine machine_;
    Events events_;
    link::DataPort port_;
    std::optional<control::InstanceLife> life_;
    link::AgentLink orchestrator_;
    link::Timer tick_timer_, work_timer_, exit_timer_;
    TaskId task_;
    StageConfig stage_;
    task::CheckpointRule rule_;
    std::set<std::int64_t> ordered_;     ///< steps whose snapshots were ordered, in addition to the steps of the rule
    std::map<std::int32_t, Sid> peers_;  ///< by stage
    std::optional<StageEngine> engine_;
};

}  // namespace divisi::sim
