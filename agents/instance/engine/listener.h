// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "agents/segment/executor.h"
#include "backend/control/types/types.h"
#include "backend/plan/interpreter.h"

namespace divisi::instance {

/// Times of one operation. The operation waited from `ready` to `begin` (plan::Ended). Until `arrived`, the operation
/// waited for a tensor from another instance. `worked` is the time between begin and end that was spent in the executor
/// or reading data.
struct OperationTimes {
    std::int32_t unit = 0;  ///< stage, or plan::data_unit
    plan::Ended ended;
    TimePoint arrived{};  ///< arrival of the last input from another instance; zero: no input
    Duration worked{};
};

/// A step of an instance after all operations of the step have ended.
struct Passed {
    std::int64_t step = 0;
    std::int64_t samples = 0;        ///< samples of the data used up to and including this step
    std::optional<float> loss = {};  ///< set on the instance that computes the loss
};

/// Receives the engine's reports. Called on the engine's thread.
class Listener {
public:
    virtual ~Listener() = default;
    virtual void operation_ended(const OperationTimes& times) = 0;
    virtual void passed(const Passed& /*step*/) {}
    /// Called when a stage's step has ended successfully. Until this function returns, the executor still has the state
    /// on which later steps depend.
    virtual void stepped(std::int64_t /*step*/, const segment::Executor& /*executor*/) {}
    virtual void step_done(const control::StepRecord& record) = 0;  ///< called on the instance that computes the loss
    virtual void evaluated(const control::EvalRecord& record) = 0;  ///< called on the instance that computes the loss
    /// Reports an error that does not end the training.
    virtual void trouble(const Error& error) = 0;
};

}  // namespace divisi::instance
