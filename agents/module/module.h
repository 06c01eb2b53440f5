// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <variant>
#include <vector>

#include "agents/module/features.h"
#include "backend/control/protocol/message.h"
#include "backend/control/types/checkpoint_types.h"
#include "backend/control/types/module_types.h"
#include "backend/control/types/store_types.h"

namespace divisi::module {

/// Requests that a module can send besides its advice: list a node's state stores, read rows of a state store, order a
/// checkpoint.
using Question = std::variant<control::ListStores, control::ReadStore, control::OrderCheckpoint>;

/// A functional module (draft 002, 4.2): a function from windowed features to advice. Port handles the connection to
/// the orchestrator and the outcome of the advice.
class Module {
public:
    Module() = default;
    Module(const Module&) = delete;
    Module& operator=(const Module&) = delete;
    virtual ~Module() = default;

    /// Returns the description of the module, without its process id.
    virtual control::ModuleInfo describe() const = 0;
    /// Returns advice; called every period, and for a synchronous module also before each placement.
    virtual std::vector<control::Advice> advise(const Features& features) = 0;
    /// Receives the outcome of a piece of advice.
    virtual void hear(const control::AdviceEcho& /*echo*/) {}

    /// Returns requests; called after advise() if the orchestrator uses this process's advice and no task waits for
    /// placement.
    virtual std::vector<Question> ask(const Features& /*features*/) { return {}; }
    /// Receives the answer to a request: StoreList, StorePage or CheckpointOrdered, or an error.
    virtual void answered(const Question& /*question*/, const Result<control::Message>& /*answer*/) {}
};

}  // namespace divisi::module
