// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/orchestrator/orchestrator_host.h"
#include "tests/sim/disk.h"
#include "tests/sim/injected_bug.h"
#include "tests/sim/process.h"

namespace divisi::sim {

/// divisid: the orchestrator host over a simulated disk. The text of a task defines its plan (task_text.h).
class OrchestratorProcess final : public Process {
public:
    struct Events {
        std::function<void()> over;                   ///< called when divisid must be ended
        std::function<bool(std::int64_t pid)> ended;  ///< whether a process of this machine has ended
    };
    OrchestratorProcess(Surroundings around, Place place, Disk& disk, Events events,
                        InjectedBug bug = InjectedBug::none);

    const control::ClusterState& state() { return host_.core().state(); }
    std::size_t waiting() const { return host_.waiting(); }

private:
    orchestrator::OrchestratorHost::Callbacks callbacks(Events events);
    void begin(const control::Job& job);
    void accuse();
    void start();
    void start_without_adoption();

    Disk& disk_;
    std::unique_ptr<control::Journal> journal_;
    orchestrator::OrchestratorHost host_;
    TimePoint planned_{};  ///< time at which the last of the background jobs will be done
    TimePoint looked_{};   ///< last call of accuse()
};

}  // namespace divisi::sim
