// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "backend/frame/frame.h"
#include "backend/link/loop.h"
#include "tests/sim/training.h"

namespace divisi::sim {

/// What a stage of a simulated training is.
struct StageConfig {
    std::uint64_t task = 0;
    Generation generation = 1;
    std::int32_t stage = 0, stages = 1;
    std::int32_t operators = 0;              ///< of the model; 0: as many as it has stages
    std::int32_t first_op = -1, end_op = 0;  ///< its own: from, and behind the last; -1: the one of its number
    std::int64_t first = 1, steps = 1;       ///< the step that it begins with, and the last
    Duration operation = std::chrono::milliseconds(20);  ///< that each forward and backward takes
    std::int64_t numbers = 1;                            ///< in each tensor, all of them the same
    /// Of its operators, that it begins with; none: what they would have by then, had it always been there.
    std::optional<std::vector<std::uint64_t>> weights = std::nullopt;
};

/// Runs one stage: each step two micro-batches forward, then backward, with two tensor slots on each edge, as the
/// engine of agents/instance does. Values depend on all that a micro-batch went through and on all the steps before, so
/// that a tensor which is lost, doubled or exchanged shows, and a stage that begins with another state than it had.
class StageEngine {
public:
    struct Outlet {
        std::function<void(std::int32_t stage, frame::TensorFrame)> send;
        std::function<void(const frame::TensorKey&)> release;
        std::function<void(std::int64_t step, float loss)> step_done;  ///< of the last stage
        std::function<void()> finished;
        std::function<void(const std::string&)> wrong;  ///< an invariant is violated
        /// Of every stage, before step_done: with what it would go on after this step.
        std::function<void(std::int64_t step, const std::vector<std::uint64_t>& weights)> step_over = {};
    };
    StageEngine(link::Loop& loop, StageConfig config, Outlet outlet);

    void start();
    void stop() {
        timer_.stop();
        runs_ = false;
    }
    void deliver(const frame::TensorFrame& frame);
    void freed(const frame::TensorKey& key);
    /// The step that it is in, from 1.
    std::int64_t step() const { return step_; }
    /// Of its operators.
    std::vector<std::uint64_t> weights() const;
    /// Begins nothing that follows this step's end; 0: it goes on.
    void hold(std::int64_t after) {
        held_after_ = after;
        look();
    }

private:
    using Position = std::pair<std::int64_t, std::int32_t>;  ///< step, micro-batch
    struct Edge {
        std::map<Position, std::uint64_t> arrived;
        std::set<Position> seen;  ///< of this generation
    };

    bool last() const { return config_.stage + 1 == config_.stages; }
    bool receives(Way way) const { return way == Way::forward ? config_.stage > 0 : !last(); }
    bool sends(Way way) const { return way == Way::forward ? !last() : config_.stage > 0; }
    frame::TensorKey key(Way way, std::int32_t edge, Position position) const;
    std::uint64_t input(Position position);
    std::uint64_t compute(std::uint64_t received);
    void look();
    void perform();
    void next();
    void end_step();

    StageConfig config_;
    Outlet outlet_;
    Undisturbed expected_;
    std::vector<OperatorArithmetic> arithmetic_;  ///< of its operators
    std::vector<std::uint64_t> outputs_;          ///< of this step, by micro-batch
    link::Timer timer_;
    bool runs_ = false, busy_ = false;
    Way way_ = Way::forward;
    std::int64_t step_ = 1, held_after_ = 0;
    std::int32_t microbatch_ = 0;
    Edge in_[2];
    std::set<Position> held_[2];  ///< tensors that the consumer has not freed
};

}  // namespace divisi::sim
