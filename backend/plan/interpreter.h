// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
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

/// Start running. Sizes of the data may be known only once they are open.
struct Begin {
    std::optional<std::int32_t> eval_microbatches = {};
    std::optional<std::int64_t> samples = {};  ///< of a batch
};
struct InputArrived {
    TensorKey key;
};  ///< a whole tensor, verified
struct SlotFreed {
    TensorKey key;
};                        ///< the consumer no longer holds what was sent
struct OperationDone {};  ///< the operation that was started
using InterpreterEvent = std::variant<Begin, InputArrived, SlotFreed, OperationDone>;

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

/// What the actions say, as calls: for a caller that plays thousands of operations a millisecond and keeps no
/// list of them. Operations are entries of the program, whose own micro-batch is not the one that runs when
/// they evaluate; calls come in the order of the actions. It must not feed events from within a call.
class ActionHandler {
public:
    virtual ~ActionHandler() = default;
    /// An operation at its place in the run.
    struct At {
        const Operation& operation;
        std::int32_t microbatch;
        std::int64_t step;
    };
    virtual void start(const At& at) = 0;
    virtual void send(const TensorKey& key) = 0;
    virtual void release(const TensorKey& key) = 0;
    virtual void ended(const At& at, TimePoint ready, TimePoint begin, TimePoint end) = 0;
    virtual void step_finished(std::int64_t step) = 0;
    virtual void evaluation_finished(std::int64_t step) = 0;
    virtual void run_finished() = 0;
};

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
    /// The same, without a list. What was handed on before a failure stays handed on.
    Result<void> step(const InterpreterEvent& event, TimePoint now, ActionHandler& handler);

    bool finished() const { return phase_ == Phase::finished; }
    bool running() const { return running_; }
    /// The step of the current or next operation.
    std::int64_t current_step() const { return step_; }
    /// Empty before Begin, while an operation runs, and at the end.
    std::optional<Waiting> waiting() const;

private:
    enum class Phase { idle, training, evaluating, finished };

    /// Step and micro-batch.
    using Place = std::pair<std::int64_t, std::int32_t>;
    /// In no order: never more than a channel has slots, mostly three, so that a search beats a tree.
    using Places = std::vector<Place>;

    struct Incoming {
        Places present;         ///< arrived, not yet consumed
        Place consumed{0, -1};  ///< tensors are consumed in ascending order
    };
    struct Outgoing {
        Places outstanding;  ///< reserved or sent, slot not freed
    };

    Result<void> begin(const Begin& event, TimePoint now);
    Result<void> arrived(const TensorKey& key);
    Result<void> freed(const TensorKey& key);
    Result<void> done(TimePoint now, ActionHandler& handler);
    void advance(ActionHandler& handler);
    void next_step();
    void try_start(TimePoint now, ActionHandler& handler);
    bool between_operations() const { return !running_ && phase_ != Phase::idle && phase_ != Phase::finished; }
    bool has_input(std::int32_t channel, const Place& place) const;
    bool has_slot(std::int32_t channel) const;
    const std::vector<Operation>& operations() const;
    const Operation& entry() const { return operations()[position_]; }
    std::int32_t microbatch() const;
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
