// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "backend/base/clock.h"
#include "backend/base/result.h"
#include "backend/plan/program.h"

namespace divisi::plan {

/// A tensor's place in a run.
struct TensorKey {
    std::int32_t channel = 0;
    std::int64_t step = 0;
    std::int32_t microbatch = 0;
    auto operator<=>(const TensorKey&) const = default;
};

// What happens to an instance.

/// Start running. The number of evaluation micro-batches may be known only once the data are open.
struct Begin {
    std::optional<std::int32_t> eval_microbatches;
};
struct InputArrived {
    TensorKey key;
};  ///< a whole tensor, verified
struct SlotFreed {
    TensorKey key;
};                        ///< the consumer no longer holds what was sent
struct OperationDone {};  ///< the operation that was started
struct StopAfter {
    std::int64_t step = 0;
};  ///< end the run after this step, or the present one if later
using InterpreterEvent = std::variant<Begin, InputArrived, SlotFreed, OperationDone, StopAfter>;

// What the instance is to do, in this order.

struct Start {
    Operation operation;
    std::int64_t step = 0;
};
struct Send {
    TensorKey key;
};  ///< an output of the operation that has just ended
struct Release {
    TensorKey key;
};  ///< drop this input and tell its sender that the slot is free
/// An operation has ended; `ready` is when the one before it ended, so begin - ready is time spent waiting.
struct Ended {
    Operation operation;
    std::int64_t step = 0;
    TimePoint ready, begin, end;
};
struct StepFinished {
    std::int64_t step = 0;
};  ///< all training operations of the step
struct EvaluationFinished {
    std::int64_t step = 0;
};  ///< of the evaluation after this step
struct RunFinished {};
using Action = std::variant<Start, Send, Release, Ended, StepFinished, EvaluationFinished, RunFinished>;

/// Why the next operation has not started.
struct Waiting {
    Operation operation;
    std::int64_t step = 0;
    std::vector<std::int32_t> missing;  ///< input channels whose tensor has not arrived
    std::vector<std::int32_t> full;     ///< output channels without a free slot
};

/// Executes one instance's program: operations in program order, one at a time, each waiting for its inputs
/// and for a slot at the consumer of each of its outputs. Holds no tensor, does no I/O and reads no clock,
/// so that instance, step simulator and plan checks run the same code. Not thread-safe.
class Interpreter {
public:
    /// `instance` is a segment or data_unit.
    Interpreter(std::shared_ptr<const Programs> programs, std::int32_t instance);

    /// A tensor or a freed slot that was seen before is ignored. Fails (corrupt) on what no correct peer and
    /// no correct caller can bring about: a channel that does not end here, a tensor beyond the slots, an
    /// operation that ends without having begun.
    Result<std::vector<Action>> step(const InterpreterEvent& event, TimePoint now);

    bool finished() const { return phase_ == Phase::finished; }
    bool running() const { return running_; }
    /// The step of the current or next operation.
    std::int64_t current_step() const { return step_; }
    /// Empty before Begin, while an operation runs, and at the end.
    std::optional<Waiting> waiting() const;

private:
    enum class Phase { idle, training, evaluating, finished };

    struct Incoming {
        std::set<std::pair<std::int64_t, std::int32_t>> present;  ///< arrived, not yet consumed
        std::pair<std::int64_t, std::int32_t> consumed{0, -1};    ///< tensors are consumed in this order
    };
    struct Outgoing {
        std::set<std::pair<std::int64_t, std::int32_t>> outstanding;  ///< reserved or sent, slot not freed
    };

    Result<void> begin(const Begin& event, TimePoint now);
    Result<void> arrived(const TensorKey& key);
    Result<void> freed(const TensorKey& key);
    Result<void> done(TimePoint now, std::vector<Action>& actions);
    void advance(std::vector<Action>& actions);
    void next_step();
    void try_start(TimePoint now, std::vector<Action>& actions);
    const std::vector<Operation>& operations() const;
    Operation current() const;
    Error violation(std::string what) const;

    std::shared_ptr<const Programs> programs_;
    const Program& program_;
    RunLength length_;
    std::vector<Incoming> incoming_;  ///< by channel; empty for channels of others
    std::vector<Outgoing> outgoing_;
    Phase phase_ = Phase::idle;
    bool running_ = false;
    std::int64_t step_ = 0;
    std::int32_t eval_microbatch_ = 0;
    std::size_t position_ = 0;  ///< in operations()
    TimePoint ready_{}, begun_{};
};

/// For logs and messages: "forward of micro-batch 2, step 7".
std::string describe(const Operation& operation, std::int64_t step);

}  // namespace divisi::plan
