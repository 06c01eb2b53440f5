// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <variant>
#include <vector>

#include "agents/module/features.h"
#include "backend/control/protocol/message.h"
#include "backend/control/types/module_types.h"

namespace divisi::module {

/// Requests that a module may make besides its advice: list a node's state stores, read rows of one, order a
/// checkpoint.
using Question = std::variant<control::ListStores, control::ReadStore, control::OrderCheckpoint>;

/// A functional module (draft 002, 4.2): a function from windowed features to advice. The port handles its connection
/// and the outcome of its advice.
class Module {
public:
    Module() = default;
    Module(const Module&) = delete;
    Module& operator=(const Module&) = delete;
    virtual ~Module() = default;

    /// Describes the module, except the number of its process.
    virtual control::ModuleInfo describe() const = 0;
    /// Returns advice; called every period, and for a synchronous module also before each placement.
    virtual std::vector<control::Advice> advise(const Features& features) = 0;
    /// Receives the outcome of an advice.
    virtual void hear(const control::AdviceEcho& /*echo*/) {}

    /// Returns requests; called after advise() if its advice counts and no task waits for placement.
    virtual std::vector<Question> ask(const Features& /*features*/) { return {}; }
    /// Receives the answer to a request: StoreList, StorePage or CheckpointOrdered, or an error.
    virtual void answered(const Question& /*question*/, const Result<control::Message>& /*answer*/) {}
};

}  // namespace divisi::module
