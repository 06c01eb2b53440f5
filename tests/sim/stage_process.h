// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <optional>

#include "backend/control/protocol/message.h"
#include "backend/link/data_port.h"
#include "tests/sim/process.h"
#include "tests/sim/stage_engine.h"

namespace divisi::sim {

/// One stage of a task, on its own machine and without an orchestrator.
class StageProcess final : public Process {
public:
    using Done = std::function<void(Generation, std::int64_t step)>;

    /// `config` leaves out stage, step and generation.
    StageProcess(Surroundings around, const StageConfig& config, std::int32_t stage, Done done);

    static Sid sid(std::int32_t stage) { return Sid("stage-" + std::to_string(stage)); }
    const std::string& endpoint() const { return endpoint_; }
    /// Connects to a stage, directly or through the gateway that listens at `endpoint`.
    void connect(std::int32_t stage, const std::string& endpoint) { port_.connect(sid(stage), 1, endpoint); }
    Generation generation() const { return config_.generation; }
    std::size_t unacknowledged() const { return port_.unacknowledged(); }
    void set_chunk_bytes(std::uint32_t bytes) { port_.set_chunk_bytes(bytes); }

    /// Discards the work of the previous generation and restarts after `done` steps.
    void enter(Generation generation, std::int64_t done);

private:
    link::DataPort::Events events();
    StageEngine::Outlet outlet();

    Done done_;
    link::DataPort port_;
    StageConfig config_;
    std::string endpoint_;
    std::optional<StageEngine> engine_;
};

/// Checks the steps that the last stage reports: they are consecutive, and none is late.
class Progress {
public:
    Progress(World& world, Watch& watch, Duration longest_stall)
        : world_(world), watch_(watch), longest_stall_(longest_stall) {}

    /// Sets the generation that counts from now on, and the step after which it starts.
    void begin(Generation generation, std::int64_t step) {
        generation_ = generation;
        step_ = step;
    }
    void done(Generation generation, std::int64_t step);
    /// Expects no step before `at`.
    void excuse_until(TimePoint at) { excused_ = std::max(excused_, at); }
    /// Call this after every event while steps remain to be done.
    void poll();

    Generation generation() const { return generation_; }
    std::int64_t step() const { return step_; }
    Duration longest() const { return longest_; }

private:
    World& world_;
    Watch& watch_;
    Duration longest_stall_;
    Generation generation_ = 0;
    std::int64_t step_ = 0;
    TimePoint last_{}, excused_{};
    Duration longest_{};
};

}  // namespace divisi::sim
