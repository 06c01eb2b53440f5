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

/// The configuration of one stage of a simulated training.
struct StageConfig {
    std::uint64_t task = 0;
    Generation generation = 1;
    std::int32_t stage = 0, stages = 1;
    std::int32_t operators = 0;  ///< number of operators in the model; 0: one for each stage
    /// Range of the stage's operators, half open; -1: the operator with the stage's number.
    std::int32_t first_op = -1, end_op = 0;
    std::int64_t first = 1, steps = 1;                   ///< first step of the stage, and last step of the training
    Duration operation = std::chrono::milliseconds(20);  ///< duration of each forward and backward operation
    std::int64_t numbers = 1;                            ///< elements in each tensor, all equal
    /// The initial weights of the stage's operators; none: those of an undisturbed training before step `first`.
    std::optional<std::vector<std::uint64_t>> weights = std::nullopt;
};

/// Runs one stage. Each step runs two micro-batches forward, then backward, with two tensor slots on each edge, like
/// the engine of agents/instance. Each value depends on all operators that its micro-batch has passed and on all
/// earlier steps. A lost, duplicated or exchanged tensor therefore changes the values. A stage that begins with a wrong
/// state also changes them.
class StageEngine {
public:
    struct Outlet {
        std::function<void(std::int32_t stage, frame::TensorFrame)> send;
        std::function<void(const frame::TensorKey&)> release;
        std::function<void(std::int64_t step, float loss)> step_done;  ///< called by the last stage only
        std::function<void()> finished;
        std::function<void(const std::string&)> wrong;  ///< called if an invariant is violated
        /// Called by every stage, before step_done, with the weights after this step.
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
    /// Returns the stage's current step, from 1.
    std::int64_t step() const { return step_; }
    /// Returns the weights of the stage's operators.
    std::vector<std::uint64_t> weights() const;
    /// Begins no operation after the end of step `after`; 0 lifts the hold.
    void hold(std::int64_t after) {
        held_after_ = after;
        poll();
    }

private:
    using Position = std::pair<std::int64_t, std::int32_t>;  ///< step, micro-batch
    struct Edge {
        std::map<Position, std::uint64_t> arrived;
        std::set<Position> seen;  ///< positions seen in this generation
    };

    bool last() const { return config_.stage + 1 == config_.stages; }
    bool receives(Way way) const { return way == Way::forward ? config_.stage > 0 : !last(); }
    bool sends(Way way) const { return way == Way::forward ? !last() : config_.stage > 0; }
    frame::TensorKey key(Way way, std::int32_t edge, Position position) const;
    std::uint64_t input(Position position);
    std::uint64_t compute(std::uint64_t received);
    void poll();
    void perform();
    void next();
    void end_step();

    StageConfig config_;
    Outlet outlet_;
    Undisturbed expected_;
    std::vector<OperatorArithmetic> arithmetic_;  ///< one entry for each operator of the stage
    std::vector<std::uint64_t> outputs_;          ///< outputs of this step, by micro-batch
    link::Timer timer_;
    bool runs_ = false, busy_ = false;
    Way way_ = Way::forward;
    std::int64_t step_ = 1, held_after_ = 0;
    std::int32_t microbatch_ = 0;
    Edge in_[2];
    std::set<Position> held_[2];  ///< tensors that the consumer has not freed
};

}  // namespace divisi::sim
