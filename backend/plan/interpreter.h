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
#include "backend/base/error_text.h"
#include "backend/base/result.h"
#include "backend/plan/program.h"

namespace divisi::plan {

/// Identifies a tensor within a run.
struct TensorKey {
    std::int32_t channel = 0;
    std::int64_t step = 0;
    std::int32_t microbatch = 0;
    auto operator<=>(const TensorKey&) const = default;
};

// Events that an instance reports to the interpreter.

/// Starts the run. Data sizes may be unknown until the data is opened.
struct Begin {
    std::optional<std::int32_t> eval_microbatches = {};
    std::optional<std::int64_t> samples = {};  ///< samples of a batch task
};
struct InputArrived {
    TensorKey key;
};  ///< a whole, verified tensor has arrived
struct SlotFreed {
    TensorKey key;
};                        ///< the consumer no longer holds a sent tensor
struct OperationDone {};  ///< the operation that was started has ended
using InterpreterEvent = std::variant<Begin, InputArrived, SlotFreed, OperationDone>;

// Actions that the instance performs in the order in which step() returns them.

struct Start {
    Operation operation;
    std::int64_t step = 0;
};
struct Send {
    TensorKey key;
};  ///< send an output of the operation that has just ended
struct Release {
    TensorKey key;
};  ///< drop this input and tell the sender that the slot is free
/// Reports an ended operation. `ready` is the end of the previous operation, or the start of the run; begin - ready is
/// the time spent waiting.
struct Ended {
    Operation operation;
    std::int64_t step = 0;
    TimePoint ready, begin, end;
};
struct StepFinished {
    std::int64_t step = 0;
};  ///< all training operations of the step are done
struct EvaluationFinished {
    std::int64_t step = 0;
};  ///< the evaluation after this step is done
struct RunFinished {};
using Action = std::variant<Start, Send, Release, Ended, StepFinished, EvaluationFinished, RunFinished>;

/// Receives the actions as calls, for a caller that runs thousands of operations per millisecond and keeps no list.
/// At::operation refers to the program's entry. In evaluations, the micro-batch of that entry is not valid: use
/// At::microbatch. Calls come in the order in which the other step() lists the actions. A handler must not feed events
/// from within a call.
class ActionHandler {
public:
    virtual ~ActionHandler() = default;
    /// An operation together with its position in the run.
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

/// The reasons why the next operation has not started.
struct Waiting {
    Operation operation;
    std::int64_t step = 0;
    std::vector<std::int32_t> missing;  ///< input channels whose tensor has not arrived
    std::vector<std::int32_t> full;     ///< output channels without a free slot
};

/// Executes one instance's program: operations in program order, one at a time. Each operation waits for its inputs,
/// and for a free slot at the consumer of each of its outputs. Holds no tensor, does no I/O and reads no clock, so that
/// the instance, the step simulator and the plan checks run the same code. Not thread-safe.
class Interpreter {
public:
    /// `instance` is a segment or data_unit.
    Interpreter(std::shared_ptr<const Programs> programs, std::int32_t instance);

    /// Processes one event and returns the resulting actions. Ignores a repeated tensor or freed slot. Fails (corrupt)
    /// on events that no correct peer or caller can cause: a channel that does not end here, a tensor beyond the slots,
    /// the end of an operation that never began.
    Result<std::vector<Action>> step(const InterpreterEvent& event, TimePoint now);
    /// Processes one event as step() above does, but calls `handler` for each action. A failure undoes no earlier call.
    Result<void> step(const InterpreterEvent& event, TimePoint now, ActionHandler& handler);

    bool finished() const { return phase_ == Phase::finished; }
    bool running() const { return running_; }
    /// Returns the step of the current or next operation.
    std::int64_t current_step() const { return step_; }
    /// Returns why the next operation has not started. Empty before Begin, while an operation runs, and at the end.
    std::optional<Waiting> waiting() const;

private:
    enum class Phase { idle, training, evaluating, finished };

    /// The step and the micro-batch that a tensor belongs to.
    using Place = std::pair<std::int64_t, std::int32_t>;
    /// Unordered. A channel has few slots, mostly three, so a linear search is faster than a tree.
    using Places = std::vector<Place>;

    struct Incoming {
        Places present;         ///< tensors that have arrived and are not consumed yet
        Place consumed{0, -1};  ///< the last consumed tensor; tensors are consumed in ascending order
    };
    struct Outgoing {
        Places outstanding;  ///< slots that are reserved or whose tensor was sent, and that are not freed yet
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
    Error violation(const ErrorText& text, std::vector<std::string> args = {}) const;

    std::shared_ptr<const Programs> programs_;
    const Program& program_;
    RunLength length_;
    std::vector<Incoming> incoming_;  ///< indexed by channel; empty for channels of other instances
    std::vector<Outgoing> outgoing_;
    Phase phase_ = Phase::idle;
    bool running_ = false;
    std::int64_t step_ = 0;
    std::int32_t eval_microbatch_ = 0;
    std::size_t position_ = 0;  ///< index into operations()
    TimePoint ready_{}, begun_{};
};

/// Describes an operation for logs and messages, e.g. "forward of micro-batch 2, step 7".
std::string describe(const Operation& operation, std::int64_t step);

}  // namespace divisi::plan
